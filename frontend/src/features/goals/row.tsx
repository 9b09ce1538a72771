import type { MouseEvent } from "react";
import type { GoalCard } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { oneLine, shortPath, stripControl } from "@/lib/text";
import { clock, formatApprox } from "@/lib/time";
import { useAppState } from "@/store/context";
import { Badge, toneText } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { Sparkline } from "@/ui/sparkline";
import { useNow } from "@/ui/usenow";
import { assuranceOf } from "./assurancelabel";
import { useElapsed } from "./card";
import { goalStatusLabel } from "./labels";
import { driverOf } from "./listorder";
import { noteOf } from "./note";

/** The columns of the table; the activity needs more width than the others leave. */
export const columnsLook =
  "grid grid-cols-[28px_116px_minmax(200px,1fr)_96px_64px_72px_88px_100px] items-center gap-x-3 " +
  "min-[1250px]:grid-cols-[28px_116px_minmax(240px,1fr)_96px_64px_72px_140px_140px_88px]";

interface RowProps {
  card: GoalCard;
  /** How many goals it is below, in the tree of goals that work for others. */
  depth: number;
  /** Its number among all rows, from 1. */
  number: number;
  selected: boolean;
  marked: boolean;
  /** Whether this row is the table's Tab stop. */
  tab: boolean;
  onOpen: (e: MouseEvent) => void;
  onMark: () => void;
}

export function Row({ card, depth, number, selected, marked, tab, onOpen, onMark }: RowProps) {
  const cell = "truncate text-xs text-text-muted";
  const driver = driverOf(card);
  return (
    <div
      role="row"
      aria-rowindex={number}
      aria-selected={marked}
      aria-current={selected}
      data-testid="goal-card"
      data-goal={card.id}
      data-status={card.status}
      data-exit={card.exit}
      onClick={onOpen}
      className={cx(
        columnsLook,
        "h-[31px] cursor-default border-l-2 pr-4 pl-3.5",
        selected ? "border-accent" : "border-transparent",
        marked ? "bg-accent-bg" : selected ? "bg-surface-raised" : "hover:bg-surface",
      )}
    >
      <span role="gridcell" className="flex">
        <input
          type="checkbox"
          tabIndex={-1}
          data-testid="goal-mark"
          aria-label={`Select ${stripControl(oneLine(card.objective))}`}
          title="Select (X)"
          checked={marked}
          onClick={(e) => e.stopPropagation()}
          onChange={onMark}
          className="size-4 accent-(--accent)"
        />
      </span>
      <span role="gridcell" className="flex min-w-0">
        <Status card={card} />
      </span>
      <Objective card={card} depth={depth} tab={tab} />
      <span role="gridcell" className="flex items-center gap-2 text-xs tabular-nums">
        <Checks card={card} />
      </span>
      <span role="gridcell" className={cx(cell, "text-right tabular-nums")}>
        <Elapsed card={card} />
      </span>
      <span role="gridcell" className={cx(cell, "text-right tabular-nums")}>
        {card.usd > 0 ? money(card.usd) : "–"}
      </span>
      <span role="gridcell" className={cx(cell, "font-mono")} title={card.dir}>
        {shortPath(card.dir ?? "") || "–"}
      </span>
      <span role="gridcell" className={cell} title={driver}>
        {driver || "–"}
      </span>
      <span aria-hidden className="hidden min-[1250px]:block">
        <Sparkline values={card.activity ?? []} className="block w-full" />
      </span>
    </div>
  );
}

function Status({ card }: { card: GoalCard }) {
  const said = goalStatusLabel(card);
  const now = useNow(card.exit === "parked" && card.parked_until !== "");
  const left = card.exit === "parked" ? Date.parse(card.parked_until) - now : 0;
  const words = left > 0 ? `${said.words} ${clock(left)}` : said.words;
  return (
    <Badge tone={said.tone} live={said.live} title={words}>
      {words}
    </Badge>
  );
}

/** The objective, with the one thing to know about the goal. */
function Objective({ card, depth, tab }: Pick<RowProps, "card" | "depth" | "tab">) {
  const proof = assuranceOf(card);
  const note = proof ? (proof.reason ? `${proof.words}: ${proof.reason}` : proof.words) : noteOf(card);
  const objective = stripControl(oneLine(card.objective));
  return (
    <span role="gridcell" className="flex min-w-0 items-baseline gap-1.5 text-sm" title={[objective, note].join("\n")}>
      {card.parent ? <ParentMark parent={card.parent} depth={depth} /> : null}
      <button
        type="button"
        tabIndex={tab ? 0 : -1}
        className={cx(
          "shrink-0 cursor-default truncate text-left font-medium text-text",
          note ? "max-w-[75%]" : "max-w-full",
        )}
      >
        {objective}
      </button>
      {note ? (
        <>
          <span aria-hidden className="text-text-faint">
            ·
          </span>
          <span
            data-testid={proof ? "card-assurance" : "goal-note"}
            data-level={proof ? card.assurance : undefined}
            className={cx("min-w-0 truncate text-xs", proof ? toneText[proof.tone] : "text-text-faint")}
          >
            {note}
          </span>
        </>
      ) : null}
    </span>
  );
}

/** Marks a goal that works for another one, and names that one. */
function ParentMark({ parent, depth }: { parent: string; depth: number }) {
  const objective = useAppState((s) => s.goals.byId[parent]?.card.objective ?? "");
  const words = objective ? `Works for: ${stripControl(oneLine(objective))}` : "Works for another goal";
  return (
    <span
      title={words}
      data-testid="goal-parent"
      data-depth={depth}
      className="shrink-0 text-text-faint"
      style={{ paddingLeft: 16 * depth }}
    >
      <span aria-hidden>↳</span>
      <span className="sr-only">{words}.</span>
    </span>
  );
}

/** At most this many checks have a mark each. */
const maxPips = 6;

/** How many checks the last claim passed. */
function Checks({ card: { checks, checks_passed: passed } }: { card: GoalCard }) {
  if (checks === 0) return <span className="text-text-faint">–</span>;
  return (
    <>
      <span className="text-text-muted">
        {passed}/{checks}
      </span>
      {checks <= maxPips ? (
        <span aria-hidden className="flex gap-[3px]">
          {Array.from({ length: checks }, (_, i) => (
            <span key={i} className={cx("h-1 w-2 rounded-full", i < passed ? "bg-ok" : "bg-border-strong")} />
          ))}
        </span>
      ) : null}
    </>
  );
}

function Elapsed({ card }: { card: GoalCard }) {
  const spent = useElapsed(card);
  return <>{spent >= 1_000 ? formatApprox(spent) : "–"}</>;
}
