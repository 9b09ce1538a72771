import type { GoalEvent } from "@/bridge/types";
import { stepResult } from "./results";

/** An event without its place in a journal. */
export type Body = GoalEvent extends infer E
  ? E extends GoalEvent
    ? Omit<E, "goal_id" | "run_id" | "seq" | "at">
    : never
  : never;

/** An event and its delay after the previous one. */
export interface DemoStep {
  after: number;
  body: Body;
}

const step = (
  id: number,
  tool: string,
  args: object,
  ms: number,
  preview: string,
  outcome: "ok" | "failed" | "denied" = "ok",
): DemoStep[] => [
  { after: 420, body: { type: "iteration", n: id } },
  {
    after: 60,
    body: { type: "usage", tokens_in: 3_800 + id * 410, tokens_out: 120 + id * 9, usd: 0.021 + id * 0.0021 },
  },
  {
    after: 60,
    body: { type: "step_started", step_id: id, tool, arguments: JSON.stringify(args), effect: { risk: "write_local" } },
  },
  { after: Math.min(ms, 900), body: { type: "step", step_id: id, tool, outcome, ms, preview } },
];

const todos = ["Build", "Serve", "Fix the cart total", "Verify in the browser"];

/** The plan with its first n todos done. */
const plan = (n: number): DemoStep => ({
  after: 60,
  body: { type: "todos", items: todos.map((text, i) => ({ text, done: i < n })) },
});

const thinking = { model: "demo", form: "text" };

/** The agent's text: it streams, and then becomes the message of its turn. */
const words = (text: string, tokens: number, reasoning = ""): DemoStep[] => [
  ...reasoning
    .split(" ")
    .filter((w) => w !== "")
    .map((w): DemoStep => ({ after: 30, body: { type: "delta", text: "", reasoning: `${w} ` } })),
  ...text.split(" ").map((w): DemoStep => ({ after: 40, body: { type: "delta", text: `${w} ` } })),
  {
    after: 20,
    body: {
      type: "message",
      message: { role: "assistant", text, ...(reasoning ? { reasoning: { ...thinking, text: reasoning } } : {}) },
    },
  },
  { after: 1, body: { type: "usage", tokens_in: tokens, tokens_out: 84, usd: 0.0124 } },
];

/** The result of a failed call: the agent reads it, and the activity shows the lines that explain the failure. */
const answered = (step: number, text: string): DemoStep => ({
  after: 1,
  body: { type: "message", message: { role: "tool", step, text: `{"ok":false}\n${text}` } },
});

const curl = { check: 0, name: "curl -sf http://127.0.0.1:8080/", exit_code: 0 };
const test = { check: 1, name: "npm test -- cart", exit_code: 1 };

/** The events of the running goal: its second check fails once, the agent repairs it, and it passes. */
export const script: DemoStep[] = [
  { after: 200, body: { type: "started" } },
  ...words("I look at the folder first, then at the tests of the cart.", 3_900),
  ...step(1, "list_files", { path: "." }, 3, "14 entries"),
  ...step(2, "read_file", { path: "src/cart.ts" }, 2, "81 lines"),
  plan(0),
  ...step(3, "run_command", { command: "npm test -- cart" }, 2_210, "exit 1", "failed"),
  answered(3, stepResult({ tool: "run_command", preview: "exit 1", outcome: "failed" })),
  ...words(
    "One test fails: the total of two items. The sum starts at the wrong place, so I will change `total` in `src/cart.ts`.",
    5_400,
    "The test expects 3 for two items of 1 and 2, and gets 2. Either the loop skips the first item, or the sum starts too low. The loop is fine.",
  ),
  ...step(4, "edit_file", { path: "src/cart.ts", old: "let total = 1", new: "let total = 0" }, 6, "+2 −2"),
  ...step(5, "browser_open", { url: "https://fonts.example" }, 1, "host not allowed", "denied"),
  ...step(6, "terminal_run", { pane: "t2", command: "npm run build" }, 1_640, "built in 1.42s"),
  ...step(7, "terminal_run", { pane: "t2", command: "python3 -m http.server 8080 -d dist" }, 320, "still running"),
  ...step(8, "browser_open", { url: "http://127.0.0.1:8080/" }, 410, "Cardboard Legacy"),
  plan(2),
  {
    after: 300,
    body: {
      type: "critic",
      verdict: "PROGRESSING",
      reason: "tests read, total fixed; page not yet looked at",
      step: 8,
    },
  },
  ...step(9, "claim_complete", { rationale: "page is up, cart fixed" }, 2_130, "verification failed"),
  { after: 80, body: { type: "claim", n: 1, rationale: "page is up, cart fixed" } },
  {
    after: 200,
    body: {
      type: "verdict",
      claim: 1,
      ...curl,
      outcome: "pass",
      detail: "exit 0",
      ms: 12,
      evidence: "aa01",
      bytes: 2_140,
    },
  },
  {
    after: 700,
    body: {
      type: "verdict",
      claim: 1,
      ...test,
      outcome: "fail",
      detail: "exited with 1, expected 0",
      ms: 2_100,
      tail: "FAIL src/cart.test.ts › total with two items\nline 23: expected 3, got 2",
      evidence: "bb02",
      bytes: 18_412,
    },
  },
  { after: 60, body: { type: "verification_failed", claim: 1, detail: "npm test -- cart: exited with 1, expected 0" } },
  ...words("The check found what I missed: the quantity is not multiplied.", 8_800),
  ...step(
    10,
    "edit_file",
    { path: "src/cart.ts", old: "total += item.price", new: "total += item.price * item.quantity" },
    8,
    "+4 −1",
  ),
  ...step(11, "browser_snapshot", { pane: "b1" }, 31, "/cart"),
  ...step(12, "browser_click", { pane: "b1", target: "e14" }, 96, "Check out").map((s) =>
    s.body.type === "step"
      ? { ...s, body: { ...s.body, point: { words: "click “Check out”", x: 886, y: 298, at: "" } } }
      : s,
  ),
];

/** How the running goal ends. */
export const ending: DemoStep[] = [
  ...step(13, "claim_complete", { rationale: "the total is right in test and page" }, 2_080, "verified"),
  { after: 80, body: { type: "claim", n: 2, rationale: "the total is right in test and page" } },
  {
    after: 200,
    body: {
      type: "verdict",
      claim: 2,
      ...curl,
      outcome: "pass",
      detail: "exit 0",
      ms: 11,
      evidence: "cc03",
      bytes: 2_140,
    },
  },
  {
    after: 600,
    body: {
      type: "verdict",
      claim: 2,
      ...test,
      exit_code: 0,
      outcome: "pass",
      detail: "exit 0",
      ms: 2_050,
      evidence: "dd04",
      bytes: 9_120,
    },
  },
  {
    after: 100,
    body: {
      type: "ended",
      status: "completed",
      exit: "done",
      verified: true,
      assurance: "strong",
      report: [
        "Every check passed on the second claim.",
        "The cart multiplies by the quantity.",
        "The page is served on port 8080.",
      ],
    },
  },
];
