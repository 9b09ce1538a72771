import { FakeGoal } from "./goals";
import { at, blankView, fixtureTime } from "./fixtures";

export const longId = "01m0long00000000000000000g7";

const tools = ["read_file", "edit_file", "run_command", "browser_snapshot", "browser_click", "search_files"] as const;
const length = 8 * 60 * 60 * 1_000;
const steps = 480;

/**
 * A goal that worked for eight hours: about 2,000 events, a critic every five turns, and a dozen claims before the last
 * one passed.
 */
export function longGoal(): FakeGoal {
  const name = "make test";
  const goal = new FakeGoal({
    ...structuredClone(blankView),
    id: longId,
    objective: "Move the shop from the old payment service to the new one, with every test of it green",
    created_at: at(-length),
    check_states: [
      {
        type: "shell",
        name,
        words: `the command \`${name}\` exits with 0`,
        outcome: "",
        detail: "",
        tail: "",
        ms: 0,
        claim: 0,
      },
    ],
    wall_clock_ms: 10 * 60 * 60 * 1_000,
    max_iterations: 1_000,
    max_claims: 20,
    max_usd: 40,
    seq: 0,
  });
  let claims = 0;
  let now = fixtureTime - length;
  goal.record({ type: "started" }, now);
  for (let id = 1; id <= steps; id++) {
    now += length / steps;
    const last = id === steps;
    const claiming = id % 40 === 0;
    const tool = claiming ? "claim_complete" : (tools[id % tools.length] ?? "read_file");
    const args = JSON.stringify(
      claiming ? { rationale: "the tests are green" } : { path: `src/pay/part${id % 17}.ts` },
    );
    goal.record({ type: "iteration", n: id }, now);
    goal.record({ type: "usage", tokens_in: 9_000, tokens_out: 300, usd: 0.04 }, now);
    goal.record({ type: "step_started", step_id: id, tool, arguments: args, effect: { risk: "write_local" } }, now);
    const outcome = id % 23 === 0 ? "failed" : "ok";
    goal.record({ type: "step", step_id: id, tool, outcome, ms: 20 + (id % 50), preview: "81 lines" }, now);
    if (id % 5 === 0) {
      const verdict = id % 155 === 0 ? "STUCK" : "PROGRESSING";
      goal.record({ type: "critic", verdict, reason: `part ${id % 17} of the move is done`, step: id }, now);
    }
    if (!claiming) continue;
    claims++;
    const failed = `exit 2, ${13 - claims} tests fail`;
    goal.record({ type: "claim", n: claims, rationale: "the tests are green" }, now);
    goal.record(
      {
        type: "verdict",
        claim: claims,
        check: 0,
        name,
        exit_code: last ? 0 : 2,
        outcome: last ? "pass" : "fail",
        detail: last ? "exit 0" : failed,
        ms: 41_000,
        tail: last ? "" : `FAIL src/pay/refund.test.ts\n${13 - claims} tests fail`,
        evidence: "ee05",
        bytes: 80_100,
      },
      now,
    );
    if (!last) goal.record({ type: "verification_failed", claim: claims, detail: `${name}: ${failed}` }, now);
  }
  const report = [
    `Every check passed on claim ${claims}.`,
    "The new payment service is used everywhere; the old one's client is gone.",
    "Refunds were the last to go green: the amounts are cents now.",
  ];
  goal.record({ type: "ended", status: "completed", exit: "done", verified: true, assurance: "strong", report }, now);
  return goal;
}
