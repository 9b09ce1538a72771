import type { CheckState, GoalView, Part, Sentence } from "@/bridge/types";

const file = (text: string): Part => ({ text, kind: "file" });
const code = (text: string): Part => ({ text, kind: "code" });
const fact = (...parts: (string | Part)[]): Sentence => ({
  parts: parts.map((p) => (typeof p === "string" ? { text: p } : p)),
});
const noted = (note: string, s: Sentence): Sentence => ({ ...s, note });

const suite: CheckState = {
  type: "shell",
  name: "go test ./cart/...",
  words: "the command `go test ./cart/...` exits with 0",
  outcome: "pass",
  detail: "exit 0, 3 tests ran, but 5 ran before the goal began",
  tail:
    "--- PASS: TestSubtotal (0.00s)\n--- PASS: TestDiscount (0.00s)\n--- PASS: TestEmpty (0.00s)\nPASS\n" +
    "ok  \tshop/cart\t0.041s\n",
  ms: 900,
  claim: 1,
  assurance: "weakened",
  assurance_words: "Passed, look at this",
  assurance_reason: "2 of 5 tests no longer run: TestRefund, TestTax",
  evidence: "7c1e",
  changes: [
    { path: "cart/cart.go", role: "code", change: "changed" },
    { path: "cart/coupon_test.go", role: "test", change: "changed" },
  ],
  why: {
    rests: [
      fact("Ran ", code("go"), " from your system: ", code("/usr/bin/go")),
      fact("Tests: ", file("cart/cart_test.go"), " as at the start"),
      fact("Failed with the files of the start: exited with 1, expected 0"),
      noted(
        "This is the work. Tests are meant to run it.",
        fact("Ran the agent's code: ", file("cart/cart.go"), " (changed)"),
      ),
    ],
    look: [
      noted(
        "They ran before the goal began. A skipped or renamed test no longer checks the work.",
        fact("No longer run: ", code("TestRefund"), ", ", code("TestTax")),
      ),
      fact("Also ran ", file("cart/coupon_test.go"), " (changed), made by the agent"),
    ],
  },
};

const staticcheck: CheckState = {
  type: "shell",
  name: "staticcheck ./...",
  words: "the command `staticcheck ./...` exits with 0",
  outcome: "pass",
  detail: "exit 0",
  tail: "",
  ms: 100,
  claim: 1,
  assurance: "strong",
  assurance_words: "Verified",
  why: { rests: [fact("Ran ", code("staticcheck"), " from your system: ", code("/usr/bin/staticcheck"))], look: [] },
};

const tested: CheckState = {
  ...suite,
  detail: "exit 0, 5 tests ran",
  tail: "ok  \tshop/cart\t0.044s",
  assurance: "tested",
  assurance_basis: "tests",
  assurance_words: "Verified by tests",
  assurance_reason: "",
  changes: [],
  why: { rests: suite.why?.rests ?? [], look: [] },
};

const question: CheckState = {
  type: "model_question",
  name: "Do the release notes name every change?",
  words: "a strict judge answers YES",
  outcome: "pass",
  detail: "YES: each pull request has its line",
  tail: "",
  ms: 2_400,
  claim: 1,
  assurance: "judged",
  assurance_words: "Judged by qwen3-coder",
  why: {
    rests: [fact("The model ", code("qwen3-coder"), " answered the question with yes")],
    look: [noted("Models err, and judge only what they are shown.", fact("No program decided"))],
  },
};

const word: CheckState = {
  type: "manual",
  name: "a user's word",
  words: "the agent's claim is accepted unchecked",
  outcome: "pass",
  detail: "the agent says so",
  tail: "",
  ms: 0,
  claim: 1,
  assurance: "claimed",
  assurance_words: "Claimed, not verified",
  why: { rests: [], look: [fact("Only the agent says that it is done")] },
};

function proof(check: CheckState, ...others: CheckState[]): Partial<GoalView> {
  const checks = [check, ...others];
  return {
    objective: "Take the discount from the subtotal",
    ...(check.assurance ? { assurance: check.assurance } : {}),
    ...(check.assurance_words ? { assurance_words: check.assurance_words } : {}),
    assurance_reason: check.assurance_reason ?? "",
    reopen_note: "",
    check_states: checks,
    checks: checks.length,
    checks_passed: checks.length,
  };
}

/** What a done goal is like, by the level of what it proves. */
export const proofs: Record<"strong" | "tested" | "weakened" | "judged" | "claimed", Partial<GoalView>> = {
  strong: proof(staticcheck),
  tested: proof(tested, staticcheck),
  weakened: {
    ...proof(suite, staticcheck),
    reopen_note:
      "TestRefund, TestTax ran at the start and no longer run. Make them run and pass; do not skip or deselect them.",
  },
  judged: proof(question, staticcheck),
  claimed: proof(word),
};
