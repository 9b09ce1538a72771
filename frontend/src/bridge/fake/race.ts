import type { FileDiff, RaceView, RunnerView, TakeInput, TakeOutput } from "@/bridge/types";
import { changes, fileDiff } from "./changes";
import { at, blankView } from "./fixtures";

const minute = 60_000;

/** The race of the fake bridge: two runners passed, one reached a limit. */
export const raceId = "01m0race00000000000000r1";

function runner(n: number, part: Partial<RunnerView>, card: Partial<RunnerView["goal"]>): RunnerView {
  return {
    runner: n,
    engine: "",
    engine_name: "Goalpost",
    model: "qwen3-coder",
    login: false,
    dir: `/home/ada/goalpost/worktrees/shop-checkout-${n}`,
    branch: `goalpost/checkout-${n}`,
    rank: 0,
    why: "",
    files: [],
    added: 0,
    removed: 0,
    unavailable: "",
    ...part,
    goal: {
      ...blankView,
      id: `01m0race00000000000000r${n}`,
      objective: "Get the checkout page under 200 kB without changing how it looks",
      dir: "/home/ada/shop",
      checks: 3,
      created_at: at(-24 * minute),
      started_at: at(-24 * minute),
      race: { id: raceId, runner: n, folder: "/home/ada/shop" },
      ...card,
    },
  };
}

const changed = (...paths: string[]) =>
  paths.map((path, i) => ({ path, change: "changed" as const, added: 12 + i, removed: 3 * i }));

/** The changes of a file of a runner: those of another file, in the runner's own words. */
export function runnerDiff(race: RaceView, goal: string, path: string): FileDiff | undefined {
  const r = race.runners?.find((one) => one.goal.id === goal);
  const diff = fileDiff(changes, "cart/cart.go");
  if (!diff || !r?.files?.some((f) => f.path === path)) return undefined;
  const own = (text: string) => text.replaceAll("adds a coupon", `adds a coupon (${r.engine_name})`);
  return { ...diff, path, hunks: own(diff.hunks), was: own(diff.was), is: own(diff.is) };
}

/** A race as it is at its end, with nothing taken. */
export const finishedRace: RaceView = {
  id: raceId,
  objective: "Get the checkout page under 200 kB without changing how it looks",
  folder: "/home/ada/shop",
  base: "4f1c2ab77d1090c2a8f3b6f3d6a5c0de11aa22bb",
  checks: [
    "the command `npm test` exits with 0",
    "the command `scripts/size.sh checkout 200k` exits with 0",
    "the command `npx playwright test` exits with 0",
  ],
  runners: [
    runner(
      1,
      {
        rank: 1,
        why: "Verified by tests, 5 files, +61 −148",
        files: changed("web/checkout.ts", "web/cards.ts", "web/index.ts", "web/load.ts", "test/load.test.ts"),
        added: 61,
        removed: 148,
      },
      {
        status: "completed",
        exit: "done",
        verified: true,
        assurance: "tested",
        assurance_basis: "tests",
        assurance_words: "Verified by tests",
        checks_passed: 3,
        steps: 34,
        spent_ms: 9 * minute + 2000,
        tokens_in: 391_000,
        tokens_out: 21_000,
        usd: 0.88,
        ended_at: at(-15 * minute),
      },
    ),
    runner(
      2,
      {
        engine: "claude",
        engine_name: "Claude Code",
        model: "claude-sonnet-4.5",
        rank: 2,
        why: "Verified by tests, 9 files, +212 −190",
        files: changed("web/checkout.ts", "web/money.ts", "web/a.ts", "web/b.ts", "web/c.ts", "web/d.ts", "web/e.ts"),
        added: 212,
        removed: 190,
      },
      {
        status: "completed",
        exit: "done",
        verified: true,
        assurance: "tested",
        assurance_basis: "tests",
        assurance_words: "Verified by tests",
        checks_passed: 3,
        steps: 41,
        spent_ms: 11 * minute + 40_000,
        tokens_in: 610_000,
        tokens_out: 30_000,
        ended_at: at(-12 * minute),
      },
    ),
    runner(
      3,
      {
        engine: "codex",
        engine_name: "Codex",
        model: "gpt-5.1-codex",
        why: "limit reached: 20 min of working time",
        files: changed("vite.config.js", "web/checkout.ts", "web/index.ts"),
        added: 37,
        removed: 12,
      },
      {
        status: "failed",
        exit: "limit_reached",
        reason: "limit reached: 20 min of working time",
        checks_passed: 1,
        steps: 58,
        spent_ms: 20 * minute,
        tokens_in: 900_000,
        tokens_out: 38_000,
        ended_at: at(-4 * minute),
      },
    ),
  ],
  taken: null,
  ranked_by: "anthropic/claude-sonnet-4.5",
  rank_note: "",
  can_rank: false,
};

/** What the fake bridge's reviewer says: the second runner is better than the first. */
export function rankFake(race: RaceView): RaceView {
  const [first, second] = race.runners ?? [];
  if (race.can_rank && first && second) {
    Object.assign(first, { rank: 2, why: "It renames what others use." });
    Object.assign(second, { rank: 1, why: "It keeps the public names." });
    Object.assign(race, { can_rank: false, ranked_by: "anthropic/claude-sonnet-4.5" });
  }
  return race;
}

/** What the fake bridge answers when a runner is taken. */
export function takeFake(race: RaceView, n: number, input: TakeInput): TakeOutput {
  const commit = input.commit ? "9be2f0aa41d0c7e3" : "";
  const branch = input.commit ? "main" : "";
  if (!input.dry_run) race.taken = { runner: n, at: at(0), commit, branch, until: at(7 * 24 * 60 * minute) };
  return {
    folder: race.folder,
    done: (race.runners ?? []).find((r) => r.runner === n)?.files ?? [],
    conflicts: [],
    skipped: [],
    commit,
    branch,
    left_out: [],
  };
}
