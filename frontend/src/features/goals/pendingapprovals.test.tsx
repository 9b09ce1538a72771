import { act } from "react";
import { expect, test } from "vitest";
import { all, mount } from "@/testing/mount";
import { PendingApprovals } from "./pendingapprovals";

test("what a model wrote shows its hidden characters in the list of requests, too", async () => {
  const goal = "01m0running00000000000000a1";
  const { app, bridge } = await mount(<PendingApprovals goal={goal} />, undefined, (a) => a.approvals.load());
  const first = bridge.approvals.find((a) => a.goal_id === goal);
  if (!first) throw new Error("no approval");
  bridge.approvals = [{ ...first, given: "", arguments: '{"command":"rm \u202ex"}', why: "it deletes \u200by" }];
  await act(async () => app.approvals.load());
  expect(all("ask")[0]?.textContent).toContain("rm ‹U+202E›x");
  expect(all("ask")[0]?.textContent).toContain("it deletes ‹U+200B›y");
});
