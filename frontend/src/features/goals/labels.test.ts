import { expect, test } from "vitest";
import type { CheckOutcome, Exit, StepOutcome } from "@/bridge/types";
import { checkLabel, goalStatusLabel, stepLabel } from "./labels";

const goal = (exit: Exit, status: "running" | "paused" = "paused") => goalStatusLabel({ status, exit, asks: 0 }).words;
const exits: Exit[] = ["done", "limit_reached", "error", "stuck", "needs_user", "parked", "waiting", "daily_limit"];

test("a status is in sentence case, also one that a newer version has added", () => {
  const steps: StepOutcome[] = ["ok", "failed", "denied", "in_doubt"];
  const checks: CheckOutcome[] = ["", "pass", "fail", "error", "tampered", "passes_already", "cannot_run"];
  const words = [
    ...[...exits, "tomorrow" as Exit].map((e) => goal(e)),
    goal("", "running"),
    ...steps.map((s) => stepLabel(s).words),
    ...checks.map((c) => checkLabel(c).words),
  ];
  for (const word of words) expect(word).toMatch(/^[A-Z]/);
  expect(goal("needs_user")).toBe("Needs you");
});
