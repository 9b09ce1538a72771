import { useMemo, type ReactNode } from "react";
import type { GoalCard, SpendToday } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { oneLine, stripControl } from "@/lib/text";
import { formatApprox } from "@/lib/time";
import { useAppState } from "@/store/context";
import { groupOf } from "@/store/goalcards";
import { summary } from "@/store/goals";
import { cx } from "@/ui/cx";
import { hasFinished, startOfDay, type GoalFilter } from "./filters";
import { limitUse, useSpendToday } from "./spendtoday";

/** How many goals run at once if the settings do not say it; as in Go. */
const defaultSlots = 3;

interface FleetStripProps {
  filter: GoalFilter;
  onFilter: (filter: GoalFilter) => void;
}

/** What all goals do and cost now, whatever the list shows. A click on a tile shows its goals; again, all. */
export function FleetStrip({ filter, onFilter }: FleetStripProps) {
  const byId = useAppState((s) => s.goals.byId);
  const slots = useAppState((s) => s.settings?.goals_at_once ?? 0) || defaultSlots;
  const today = useSpendToday();
  const { by } = summary(byId);
  const cards = useMemo(() => Object.values(byId).map((k) => k.card), [byId]);
  const midnight = startOfDay(Date.now());
  const finished = useMemo(() => cards.filter((c) => hasFinished(c, midnight)), [cards, midnight]);
  const asking = by.needs_you.filter((c) => c.status === "running").length;
  const tile = (id: string, choice: Pick<GoalFilter, "status" | "today">) => {
    const isOn = filter.status === choice.status && filter.today === choice.today;
    const next = isOn ? { status: "" as const, today: "" as const } : choice;
    return { id, isOn, onPress: () => onFilter({ ...filter, ...next }) };
  };
  return (
    <div
      role="group"
      aria-label="All goals now"
      data-testid="fleet-strip"
      className="grid shrink-0 grid-cols-[1.2fr_1fr_1.2fr_1fr] gap-2 px-4 pt-3"
    >
      <Tile title="Needs you" {...tile("needs_you", { status: "needs_you", today: "" })}>
        <Needs cards={by.needs_you} />
      </Tile>
      <Tile title="Running" {...tile("running", { status: "running", today: "" })}>
        <Figure n={slotsInUse(cards)}>of {slots} at once</Figure>
        <Note>
          {asking > 0 ? `${asking} of them ${asking === 1 ? "needs" : "need"} you, ` : ""}
          {by.queued.length > 0 ? `${by.queued.length} queued` : "none queued"}
        </Note>
      </Tile>
      <Tile title="Spend today" {...tile("spent", { status: "", today: "spent" })}>
        {today ? <Spend today={today} /> : null}
      </Tile>
      <Tile title="Finished today" {...tile("finished", { status: "", today: "finished" })}>
        <Finished cards={finished} />
      </Tile>
    </div>
  );
}

/** How many goals have a slot; one that asks the user keeps it, and one that works for another has none of its own. */
function slotsInUse(cards: readonly GoalCard[]): number {
  return cards.filter((c) => c.status === "running" && c.queued === "" && !c.parent).length;
}

interface TileProps {
  id: string;
  title: string;
  isOn: boolean;
  onPress: () => void;
  children: ReactNode;
}

function Tile({ id, title, isOn, onPress, children }: TileProps) {
  return (
    <button
      type="button"
      data-testid="fleet-tile"
      data-tile={id}
      aria-pressed={isOn}
      onClick={onPress}
      className={cx(
        "flex h-[76px] min-w-0 flex-col gap-0.5 rounded-lg border px-3.5 py-2 text-left text-xs",
        isOn ? "border-accent bg-accent-bg" : "border-border bg-surface hover:bg-surface-hover",
      )}
    >
      <span className="caption">{title}</span>
      {children}
    </button>
  );
}

function Figure({ n, children }: { n: ReactNode; children?: ReactNode }) {
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 text-text-muted tabular-nums">
      <b className="text-base leading-5 font-semibold text-text">{n}</b>
      <span className="truncate">{children}</span>
    </span>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <span className="truncate text-2xs text-text-muted">{children}</span>;
}

function Needs({ cards }: { cards: readonly GoalCard[] }) {
  const [first] = cards;
  return (
    <>
      <Figure n={<span className={cx(first && "text-warn")}>{cards.length}</span>}>
        {cards.length === 1 ? "goal waits" : "goals wait"} for you
      </Figure>
      {first ? <Note>{stripControl(oneLine(first.objective))}</Note> : null}
    </>
  );
}

const bars = { ok: "bg-accent", near: "bg-warn", reached: "bg-bad" };

function Spend({ today }: { today: SpendToday }) {
  const { part, state } = limitUse(today);
  if (today.limit_usd <= 0) return <Figure n={money(today.usd)} />;
  const tone = { ok: "text-text-muted", near: "text-warn", reached: "text-bad" }[state];
  return (
    <>
      <span className="flex items-baseline gap-2">
        <Figure n={money(today.usd)}>of {money(today.limit_usd)} daily limit</Figure>
        <span className={cx("ml-auto shrink-0 tabular-nums", tone)}>
          {state === "reached" ? "reached" : `${Math.floor(part * 100)}%`}
        </span>
      </span>
      <span aria-hidden data-testid="fleet-bar" data-state={state} className="mt-1 h-1 rounded-full bg-surface-hover">
        <span
          className={cx("block h-full rounded-full", bars[state])}
          style={{ width: `${Math.min(100, part * 100)}%` }}
        />
      </span>
    </>
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function Finished({ cards }: { cards: readonly GoalCard[] }) {
  const done = cards.filter((c) => groupOf(c) === "done").length;
  const failed = cards.length - done;
  return (
    <>
      <span className="flex items-baseline gap-2.5">
        <Figure n={done}>
          <span className={cx(done > 0 && "text-ok")}>done</span>
        </Figure>
        <Figure n={failed}>
          <span className={cx(failed > 0 && "text-bad")}>failed</span>
        </Figure>
      </span>
      {cards.length > 0 ? (
        <Note>
          median {formatApprox(median(cards.map((c) => c.spent_ms)))}, {money(median(cards.map((c) => c.usd)))}
        </Note>
      ) : null}
    </>
  );
}
