import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { NewGoalDialog } from "@/features/goals/newgoal/dialog";
import { SchedulesPage } from "@/features/schedules/page";
import { find, get, mount, press, until, write } from "@/testing/mount";

test("the goal of a schedule is changed in the form of New goal, and is a dry run again", async () => {
  const bridge = new FakeBridge();
  await mount(
    <>
      <SchedulesPage />
      <NewGoalDialog />
    </>,
    bridge,
  );
  const saved = () => bridge.calls.filter((c) => c.method === "ScheduleAPI.Save");
  const objective = () => get("field-objective") as HTMLTextAreaElement;
  localStorage.setItem("goalpost.new-goal", "the draft of another goal");
  await press("schedule-goal");
  expect(get("new-goal").textContent).toContain("Change the goal of the schedule");
  expect(objective().value).toContain("known vulnerabilities");
  expect((get("field-dir") as HTMLInputElement).value).toBe("/home/ada/shop");
  expect([find("start-goal"), find("repeat-goal"), find("race-on"), find("draft-clear")]).toEqual(Array(4).fill(null));
  await press("scheduled-goal-save");
  await until(() => find("new-goal") === null);
  expect(saved(), "nothing was changed").toEqual([]);

  await press("schedule-goal");
  write("field-objective", "");
  await press("scheduled-goal-save");
  expect(get("error-objective").textContent).toContain("true at the end");
  write("field-objective", "Update all dependencies");
  bridge.refusals.set("ScheduleAPI.Save", {
    code: "refused",
    message: "no such folder",
    hint: "make it",
    field: "dir",
  });
  await press("scheduled-goal-save");
  await until(() => find("error-dir")?.textContent === "no such folder · make it");
  bridge.refusals.clear();
  await press("scheduled-goal-save");
  await until(() => find("new-goal") === null);
  expect(saved().at(-1)?.args).toMatchObject([
    "01m0schedule00000audit001",
    {
      cron: "0 7 * * 1-5",
      zone: "Europe/Berlin",
      month_usd: 20,
      request: { objective: "Update all dependencies", dir: "/home/ada/shop", risk: "network_get" },
    },
  ]);
  await until(() => get("schedule-details").textContent.includes("Update all dependencies"));
  expect(get("schedule-note").textContent).toContain("After one is done");
  expect(bridge.calls.some((c) => c.method === "GoalAPI.Start")).toBe(false);
  expect(localStorage.getItem("goalpost.new-goal")).toBe("the draft of another goal");
});
