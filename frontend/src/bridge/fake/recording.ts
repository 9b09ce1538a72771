import type { RecordedPane, RecordingPage, RecordView } from "@/bridge/types";
import type { FakeGoal } from "./goals";
import { outputs, shopPage } from "./screen";

const encode = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const line = 900;

/** The terminal `t2` of the running goal, line by line from its sixth step on. */
function terminal(from: number): RecordView[] {
  const text = new TextEncoder();
  return (outputs.t2 ?? "").split(/(?<=\n)/).map((said, i) => ({
    n: i + 1,
    at_ms: from + i * line,
    width: 80,
    height: 24,
    data: encode(text.encode(said)),
  }));
}

/** Its page `b1`: two pictures; none without a canvas. */
async function page(from: number): Promise<RecordView[]> {
  const jpeg = await shopPage(720, 420);
  if (!jpeg) return [];
  const data = encode(jpeg);
  return [0, 3_000].map((after, i) => ({ n: i + 1, at_ms: from + after, width: 720, height: 420, data }));
}

const beginOf = (goal: FakeGoal, step: number): number => goal.steps.find((s) => s.n === step)?.at_ms ?? 0;

/** The recording of a goal's panes. */
export function recorded(goal: FakeGoal): RecordedPane[] {
  const t = beginOf(goal, 6);
  const b = beginOf(goal, 8);
  if (t === 0 || b === 0 || !goal.view.panes?.includes("t2")) return [];
  const lines = terminal(t);
  return [
    {
      pane: "t2",
      kind: "terminal",
      from_ms: t,
      to_ms: t + (lines.length - 1) * line,
      records: lines.length,
      bytes: 512,
    },
    { pane: "b1", kind: "browser", from_ms: b, to_ms: b + 3_000, records: 2, bytes: 30_000 },
  ];
}

export async function replay(goal: FakeGoal, pane: string, after: number): Promise<RecordingPage> {
  const all = pane === "b1" ? await page(beginOf(goal, 8)) : terminal(beginOf(goal, 6));
  return { records: all.filter((r) => r.n > after), more: false };
}
