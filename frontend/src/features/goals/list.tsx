import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useApp, useAppState } from "@/store/context";
import { money } from "@/lib/bytes";
import { Button, Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { SearchIcon } from "@/ui/icons";
import { VirtualRows } from "@/ui/virtualrows";
import { Card } from "./card";
import {
  groupings,
  listLines,
  orders,
  savedListView,
  saveListView,
  type Grouping,
  type ListLine,
  type ListView,
  type Order,
} from "./listorder";
import { SelectionBar } from "./selectionbar";
import type { GoalSearch } from "./search";
import type { StatusChoice } from "./statusfilter";
import { useRoving } from "@/ui/rovingfocus";

/** Scrolls to a goal that was opened from another place, once: the list does not follow goals that move in it. */
function useSelectedInSight(
  virtual: Virtualizer<HTMLDivElement, Element>,
  lines: readonly ListLine[],
  selected: string,
) {
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
        title="Searches objectives, results and folders"
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

interface ListViewFieldsProps {
  view: ListView;
  onView: (view: ListView) => void;
}

/** The menus for grouping and sorting. */
function ListViewFields({ view, onView }: ListViewFieldsProps) {
  const look = "field h-[30px] min-w-0 flex-1 py-0 text-xs";
  return (
    <div className="flex shrink-0 flex-wrap gap-1.5 px-3.5 pb-1.5">
      <select
        data-testid="goal-grouping"
        aria-label="Group goals"
        className={look}
        value={view.grouping}
        onChange={(e) => onView({ ...view, grouping: e.target.value as Grouping })}
      >
        {Object.entries(groupings).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <select
        data-testid="goal-order"
        aria-label="Sort goals"
        className={look}
        value={view.order}
        onChange={(e) => onView({ ...view, order: e.target.value as Order })}
      >
        {Object.entries(orders).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

function GroupHead({ head, isFolder }: { head: Extract<ListLine, { kind: "head" }>; isFolder: boolean }) {
  return (
    <Caption
      as="h2"
      className={cx("flex items-baseline gap-1 px-4 pt-3 pb-1.5", isFolder && "font-mono tracking-normal normal-case")}
    >
      <span className="truncate" title={isFolder ? head.id : undefined} data-testid="goal-group">
        {head.title}
      </span>
      <span className="ml-1 font-medium">{head.count}</span>
      {isFolder && head.usd > 0 ? <span className="ml-auto font-sans font-normal">{money(head.usd)}</span> : null}
    </Caption>
  );
}

interface GoalListProps {
  /** Set to the functions that move the selection, for the dashboard's keys. */
  onReady: (keys: { move: (by: number) => void; focusSearch: () => void }) => void;
  search: GoalSearch;
  only: StatusChoice;
  onOnly: (only: StatusChoice) => void;
  className?: string | undefined;
}

export function GoalList({ onReady, search: { text, setText, cards }, only, onOnly, className }: GoalListProps) {
  const app = useApp();
  const selected = useAppState((s) => s.detail.id);
  const marked = useAppState((s) => s.marked);
  const [view, setView] = useState(() => savedListView(localStorage));
  const loaded = useAppState((s) => s.goals.loaded);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);

  const lines = useMemo(() => listLines(cards, view, only), [cards, only, view]);

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => (lines[i]?.kind === "head" ? 34 : 64),
    getItemKey: (i) => {
      const line = lines[i];
      return line?.kind === "card" ? line.card.id : (line?.id ?? i);
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

  const showAll = () => {
    setText("");
    onOnly("");
    search.current?.focus();
  };

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
      className={cx("flex min-h-0 flex-col border-r border-border max-[640px]:border-r-0", className)}
    >
      <SearchField field={search} text={text} onText={setText} />
      <ListViewFields
        view={view}
        onView={(next) => {
          setView(next);
          saveListView(localStorage, next);
        }}
      />
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
            if (line.kind === "head") return <GroupHead head={line} isFolder={view.grouping === "folder"} />;
            return (
              <Card
                card={line.card}
                selected={line.card.id === selected}
                tab={index === stop}
                onSelect={() => app.openGoal(line.card.id)}
                marked={marked.includes(line.card.id)}
                onMark={() => app.goals.toggleMark(line.card.id)}
              />
            );
          }}
        </VirtualRows>
        {lines.length === 0 ? (
          <div className="px-4 py-6 text-text-faint" role="status" data-testid="goal-list-empty">
            {text || only ? "No goal matches." : loaded ? "No goals yet." : "Loading goals…"}
            {text || only ? (
              <Button className="mt-2 flex" data-testid="goal-filter-clear" onClick={showAll}>
                Clear filters
              </Button>
            ) : null}
          </div>
        ) : null}
      </div>
      <SelectionBar />
    </nav>
  );
}
