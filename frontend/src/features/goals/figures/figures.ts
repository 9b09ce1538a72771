import type { FigureRow } from "@/bridge/types";
import { money } from "@/lib/bytes";
import { csv } from "@/lib/csv";
import { plural } from "@/lib/text";

export interface Figure {
  id: string;
  title: string;
  /** The value, "–" without a base. */
  value: string;
  /** What it is computed from. */
  from: string;
}

/** What is not done: what ended otherwise, and what the user said is not. */
const wrong = (r: FigureRow) => r.ends - r.done + r.not_done;
/** A part in percent, without a share of nothing. */
const percent = (part: number, whole: number) => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–");
const quotient = (sum: number, n: number, show: (x: number) => string) => (n > 0 ? show(sum / n) : "–");
const oneDecimal = (x: number) => x.toFixed(1);

/** The figures of all goals, or of those of one model. */
export function figuresOf(r: FigureRow): Figure[] {
  const stopped = r.ends - r.done;
  const isDone = r.done - r.not_done;
  return [
    {
      id: "false-done",
      title: "Done, but it was not",
      value: percent(r.not_done, r.done),
      from: `You said so of ${r.not_done} of ${r.done} that were verified`,
    },
    {
      id: "honest",
      title: "Honest stops",
      value: percent(r.gave_up, stopped),
      from:
        `${r.gave_up} of ${stopped} that did not end done, with a report; ` +
        `${r.limited} by a limit, ${r.aborted} by you, ${r.failed} by an error`,
    },
    {
      id: "critic-precision",
      title: "Critic right when it warns",
      value: percent(r.right, r.warned),
      from: `${r.right} of ${r.warned} that it warned about were not done`,
    },
    {
      id: "critic-recall",
      title: "Critic warned before a failure",
      value: percent(r.right, wrong(r)),
      from: `Before ${r.right} of ${wrong(r)} that were not done`,
    },
    {
      id: "asks",
      title: "Approvals a goal",
      value: quotient(r.asks, r.goals, oneDecimal),
      from: `${plural(r.asks, "request")} of ${plural(r.goals, "goal")}`,
    },
    {
      id: "cost",
      title: "Cost of a done goal",
      value: quotient(r.usd, isDone, money),
      from: `${money(r.usd)} for ${isDone}, with what the others cost`,
    },
  ];
}

const columns = [
  ...["model", "goals", "ends", "done", "not_done", "gave_up", "limited", "aborted", "failed"],
  ...["asks", "warned", "right", "usd"],
] as (keyof FigureRow)[];

/** The counts behind the figures, with a line for each model. */
export function figuresCSV(rows: readonly FigureRow[]): string {
  return csv([columns, ...rows.map((r) => columns.map((c) => r[c]))]);
}
