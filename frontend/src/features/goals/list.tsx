import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { asProblem } from "@/bridge/problem";
import type { GoalCard } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { groups, groupTitle, type Group } from "@/store/goalcards";
import { grouped, summary } from "@/store/goals";
import { Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { SearchIcon } from "@/ui/icons";
import { Select } from "@/ui/input";
import { VirtualRows } from "@/ui/virtualrows";
import { Card } from "./card";
import { SelectionBar } from "./selectionbar";
import { useRoving } from "@/ui/rovingfocus";

type Line = { kind: "head"; group: Group; count: number } | { kind: "card"; card: GoalCard };

const searchAfterMs = 200;
const searchLimit = 200;

/** The group that the list is limited to; "" shows all of them. */
type Filter = Group | "";

function listRows(cards: readonly GoalCard[], only: Filter): Line[] {
  const by = grouped(cards);
  return (only ? [only] : groups).flatMap((group): Line[] => {
    const list = by[group];
    if (list.length === 0) return [];
    return [{ kind: "head", group, count: list.length }, ...list.map((card): Line => ({ kind: "card", card }))];
  });
}

/** Goals that the store finds for a text, or null while there is none. */
function useSearchResults(text: string): readonly GoalCard[] | null {
  const app = useApp();
  const [found, setFound] = useState<readonly GoalCard[] | null>(null);
  useEffect(() => {
    if (!text) {
      setFound(null);
      return;
    }
    let stale = false;
    const timer = setTimeout(() => {
      app.bridge
        .call("GoalAPI.List", { status: "", search: text, limit: searchLimit, offset: 0, resumable: false })
        .then((page) => !stale && setFound(page.goals ?? []))
        .catch((reason: unknown) => !stale && app.notices.problem(asProblem(reason)));
    }, searchAfterMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [app, text]);
  return found;
}

/** A goal that is opened from elsewhere comes into sight, once: the list stays still while goals move in it. */
function useSelectedInSight(virtual: Virtualizer<HTMLDivElement, Element>, lines: readonly Line[], selected: string) {
  const inSight = useRef("");
  useEffect(() => {
    if (!selected || inSight.current === selected) return;
    const index = lines.findIndex((l) => l.kind === "card" && l.card.id === selected);
    if (index < 0) return;
    inSight.current = selected;
    virtual.scrollToIndex(index);
  }, [lines, selected, virtual]);
}

interface SearchFieldProps {
  field: RefObject<HTMLInputElement | null>;
  text: string;
  onText: (text: string) => void;
}

function SearchField({ field, text, onText }: SearchFieldProps) {
  return (
    <div className="relative shrink-0 px-3.5 pt-2.5 pb-1.5">
      <SearchIcon size={14} className="absolute top-[18px] left-6 text-text-faint" />
      <input
        ref={field}
        data-testid="goal-search"
        aria-label="Search goals"
        placeholder="Search goals"
        className={cx(
          "h-[30px] w-full rounded-md border border-transparent bg-surface-hover pr-8 pl-8 text-sm",
          "outline-none focus:border-accent focus:bg-bg",
        )}
        value={text}
        onChange={(e) => onText(e.target.value)}
        onKeyDown={(e) => {
          if (e.code !== "Escape") return;
          e.stopPropagation();
          onText("");
          e.currentTarget.blur();
        }}
      />
      <Kbd className="absolute top-4 right-5">/</Kbd>
    </div>
  );
}

interface StatusFilterProps {
  only: Filter;
  onOnly: (only: Filter) => void;
}

/** Limits the list to one group. A group without goals is offered only while it is chosen. */
function StatusFilter({ only, onOnly }: StatusFilterProps) {
  const by = useAppState((s) => summary(s.goals.byId).by);
  const offered = groups.filter((g) => by[g].length > 0 || g === only);
  return (
    <div className="shrink-0 px-3.5 pb-1.5">
      <Select
        data-testid="goal-filter"
        aria-label="Filter goals by status"
        className="h-[30px] py-0 text-xs"
        value={only}
        onChange={(e) => onOnly(groups.find((g) => g === e.target.value) ?? "")}
      >
        <option value="">All statuses</option>
        {offered.map((g) => (
          <option key={g} value={g}>
            {groupTitle[g]} ({by[g].length})
          </option>
        ))}
      </Select>
    </div>
  );
}

function GroupHead({ group, count }: { group: Group; count: number }) {
  return (
    <Caption as="h2" className="px-4 pt-3 pb-1.5">
      {groupTitle[group]} <span className="ml-1 font-medium">{count}</span>
    </Caption>
  );
}

interface GoalListProps {
  /** Filled with what moves the selection, for the dashboard's keys. */
  onReady: (keys: { move: (by: number) => void; focusSearch: () => void }) => void;
}

export function GoalList({ onReady }: GoalListProps) {
  const app = useApp();
  const byId = useAppState((s) => s.goals.byId);
  const selected = useAppState((s) => s.detail.id);
  const marked = useAppState((s) => s.marked);
  const [text, setText] = useState("");
  const [only, setOnly] = useState<Filter>("");
  const found = useSearchResults(text.trim());
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);

  const lines = useMemo(() => {
    // What was found is shown as it stands now, not as it stood when it was found.
    const cards = found ? found.map((c) => byId[c.id]?.card ?? c) : Object.values(byId).map((k) => k.card);
    return listRows(cards, only);
  }, [byId, found, only]);

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => (lines[i]?.kind === "head" ? 34 : 64),
    getItemKey: (i) => {
      const line = lines[i];
      return line?.kind === "card" ? line.card.id : (line?.group ?? i);
    },
    overscan: 8,
  });

  const roving = useRoving({
    scroller,
    count: lines.length,
    stops: (i) => lines[i]?.kind === "card",
    show: (i) => virtual.scrollToIndex(i),
  });
  const drawn = virtual.getVirtualItems().map((item) => item.index);
  const chosen = drawn.find((i) => {
    const line = lines[i];
    return line?.kind === "card" && line.card.id === selected;
  });
  const stop = chosen ?? drawn.find((i) => lines[i]?.kind === "card") ?? -1;

  useSelectedInSight(virtual, lines, selected);

  useEffect(() => {
    onReady({
      focusSearch: () => search.current?.focus(),
      move: (by) => {
        const at = lines.findIndex((l) => l.kind === "card" && l.card.id === selected);
        for (let i = at + by; i >= 0 && i < lines.length; i += by) {
          const line = lines[i];
          if (line?.kind !== "card") continue;
          app.sync.select(line.card.id);
          virtual.scrollToIndex(i);
          return;
        }
      },
    });
  }, [app, lines, onReady, selected, virtual]);

  return (
    <nav
      aria-label="Goals"
      className="flex min-h-0 flex-col border-r border-border max-[640px]:border-r-0 max-[640px]:border-b"
    >
      <SearchField field={search} text={text} onText={setText} />
      <StatusFilter only={only} onOnly={setOnly} />
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto pb-3"
        data-testid="goal-list"
        onKeyDown={(e) => {
          const line = lines[roving.onKeyDown(e) ?? -1];
          if (line?.kind === "card") app.sync.select(line.card.id);
        }}
      >
        <VirtualRows virtual={virtual}>
          {(index) => {
            const line = lines[index];
            if (!line) return null;
            if (line.kind === "head") return <GroupHead group={line.group} count={line.count} />;
            return (
              <Card
                card={line.card}
                selected={line.card.id === selected}
                tab={index === stop}
                onSelect={() => app.sync.select(line.card.id)}
                marked={marked.includes(line.card.id)}
                onMark={() => app.goals.toggleMark(line.card.id)}
              />
            );
          }}
        </VirtualRows>
        {lines.length === 0 ? (
          <p className="px-4 py-6 text-text-faint" role="status">
            {text || only ? "No goal matches." : "No goals yet."}
          </p>
        ) : null}
      </div>
      <SelectionBar />
    </nav>
  );
}
