import type { GoalEvent, GoalPlots, GoalView, SpendLineBy, SpendPlot } from "@/bridge/types";

const minute = 60_000;

/** The plots of a fake goal, made from its events as Go does, for a goal that was never paused. */
export function plotsOf(view: GoalView, events: readonly GoalEvent[]): GoalPlots {
  const start = Date.parse(view.started_at || (events[0]?.at ?? ""));
  const checks = view.check_states?.length ?? 0;
  const out = {
    checks,
    passing: [],
    spend: [],
    rate: [],
    context: [],
    times: timesOf(events),
    rate_ms: minute,
    guessed: false,
  } as GoalPlots & {
    context: NonNullable<GoalPlots["context"]>;
    passing: NonNullable<GoalPlots["passing"]>;
    spend: NonNullable<GoalPlots["spend"]>;
    rate: NonNullable<GoalPlots["rate"]>;
  };
  const passes = new Set<number>();
  let sum = { usd: 0, tokens: 0 };
  for (const e of events) {
    const at_ms = Math.max(0, Date.parse(e.at) - start);
    if (e.type === "usage") {
      const tokens = e.tokens_in + e.tokens_out;
      sum = { usd: sum.usd + e.usd, tokens: sum.tokens + tokens };
      out.spend.push({ at_ms, ...sum });
      if (!e.by) out.context.push({ at_ms, tokens: e.tokens_in, window: e.window ?? 0 });
      const slice = Math.floor(at_ms / minute);
      while (out.rate.length <= slice) out.rate.push({ at_ms: out.rate.length * minute, per_minute: 0 });
      const last = out.rate[slice];
      if (last) last.per_minute += tokens;
    } else if (e.type === "verdict") {
      if (e.outcome === "pass") passes.add(e.check);
      else passes.delete(e.check);
      const point = { at_ms, claim: e.claim, passing: passes.size };
      if (out.passing.at(-1)?.claim === e.claim) out.passing.pop();
      out.passing.push(point);
    }
  }
  return out;
}

/** How long the steps of a fake goal took; the rest is the model's. */
function timesOf(events: readonly GoalEvent[]): NonNullable<GoalPlots["times"]> {
  const steps = events.filter((e) => e.type === "step");
  if (steps.length === 0) return [];
  const length = Date.parse(events.at(-1)?.at ?? "") - Date.parse(events[0]?.at ?? "");
  const commands = steps.reduce((sum, e) => sum + e.ms, 0);
  return [
    { kind: "model", ms: Math.max(0, length - commands), times: steps.length },
    { kind: "commands", ms: commands, times: steps.length },
  ];
}

const turns = Array.from({ length: 90 }, (_, i) => 1_500 + ((i * 7_919) % 11) * 420);

/** The plots of a goal that ran for three hours, and whose checks did not only get better. */
export const dayOfPlots: GoalPlots = {
  checks: 5,
  passing: [1, 3, 2, 4, 4, 5].map((passing, i) => ({ at_ms: (i + 1) * 29 * minute, claim: i + 1, passing })),
  spend: turns.map((_, i) => {
    const tokens = turns.slice(0, i + 1).reduce((sum, n) => sum + 2 * n, 0);
    return { at_ms: i * 2 * minute, tokens, usd: tokens * 3.1e-6 };
  }),
  rate: turns.map((per_minute, i) => ({ at_ms: i * 2 * minute, per_minute })),
  // Two compactions; the first turns are of a version that did not record the window.
  context: turns.map((_, i) => ({
    at_ms: i * 2 * minute,
    tokens: 14_000 + (i % 34) * 2_900,
    window: i < 3 ? 0 : 128_000,
  })),
  times: [
    { kind: "model", ms: 94 * minute, times: 90 },
    { kind: "commands", ms: 41 * minute, times: 61 },
    { kind: "user", ms: 22 * minute, times: 2 },
    { kind: "checks", ms: 14 * minute, times: 6 },
    { kind: "pages", ms: 5 * minute, times: 9 },
    { kind: "host", ms: 83_000, times: 0 },
    { kind: "files", ms: 640, times: 31 },
  ],
  rate_ms: 2 * minute,
  guessed: false,
};

const spent: Record<SpendLineBy, Record<string, number>> = {
  model: { "qwen3-coder": 0.31, "claude-sonnet": 0.9, "=1+1,x": 0.12, "": 0.02 },
  day: { "": 1.35 },
  persona: { programmer: 0.9, reviewer: 0.4, "": 0.05 },
  folder: { "/home/ada/shop": 1.1, "/home/ada/notes": 0.2, "": 0.05 },
};

/** What fake goals spent in 30 days; nothing at weekends. */
export function spendPlot(by: SpendLineBy, empty: boolean): SpendPlot {
  const days = Array.from({ length: 30 }, (_, i) => new Date(Date.UTC(2026, 10, 2 + i)).toISOString().slice(0, 10));
  const lines = Object.entries(spent[by]).map(([key, daily]) => {
    let sum = 0;
    return { key, usd: days.map((_, i) => (sum += i % 7 > 4 ? 0 : daily * (1 + ((i * 7) % 5)))) };
  });
  lines.sort((a, b) => (b.usd.at(-1) ?? 0) - (a.usd.at(-1) ?? 0));
  return { by, days, lines: empty ? [] : lines };
}
