import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { all, find, flushAll, get, mount, nth, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "@/features/goals/newgoal/dialog";
import { ScheduleDialog } from "./dialog";
import { SchedulesPage } from "./page";
import { dueWords } from "./words";

async function draw(bridge = new FakeBridge()) {
  const app = await mount(
    <>
      <SchedulesPage />
      <ScheduleDialog />
      <NewGoalDialog />
    </>,
    bridge,
  );
  return { app, bridge };
}

test("schedules are listed by their next time, and those that are off are last", async () => {
  await draw();
  expect(all("schedule").map((s) => s.dataset.mode)).toEqual(["active", "dry_run", "off"]);
  expect(get("schedule-next").textContent).toContain("Fri 13 Mar, 07:00");
  expect(all("schedule-run-row")).toHaveLength(4);
  expect(get("schedule-details").textContent).toContain("there was nothing to do");
});

test("a schedule goes back to dry runs, and is promoted only after one is done", async () => {
  const { bridge } = await draw();
  await press("schedule-dry");
  await until(() => find("schedule-promote") !== null);
  await press("schedule-promote");
  await until(() => find("schedule-dry") !== null);
  await press(nth(all("schedule"), 1));
  await until(() => get("schedule-details").textContent.includes("After one is done"));
  expect(get("schedule-promote").hasAttribute("disabled")).toBe(true);
  expect(bridge.calls.filter((c) => c.method === "ScheduleAPI.SetMode").map((c) => c.args[1])).toEqual([
    "dry_run",
    "active",
  ]);
});

test("a schedule that was turned off says why, and is turned on", async () => {
  await draw();
  await press(nth(all("schedule"), 2));
  expect(get("schedule-note").textContent).toContain("3 runs in a row failed");
  await press("schedule-on");
  await until(() => find("schedule-note") === null);
});

test("the times are said in words while they are typed, with what is wrong", async () => {
  await draw();
  await press("schedule-edit");
  await until(() => get("schedule-words").textContent.includes("at 7:00 from Monday to Friday"));
  write("schedule-cron", "0 7");
  await until(() => find("error-cron")?.textContent.includes("five fields") === true);
  expect(get("schedule-save").hasAttribute("disabled")).toBe(true);
  write("schedule-cron", "0 */6 * * *");
  await until(() => get("schedule-words").textContent.includes("every 6 hours"));
  await press("schedule-save");
  await flushAll();
  expect(find("schedule-dialog")).toBeNull();
  expect(get("schedule-details").textContent).toContain("every 6 hours");
});

test("the goal of a schedule is changed in the form of New goal, and is a dry run again", async () => {
  const { bridge } = await draw();
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

test("without schedules the page says how to make one", async () => {
  const bridge = new FakeBridge();
  bridge.schedules.list = [];
  await draw(bridge);
  expect(get("schedules-empty").textContent).toContain("Repeat…");
});

test("a due time is shown in the time zone of its schedule", () => {
  expect(dueWords("2027-03-01T23:30:00+11:00")).toBe("Mon 1 Mar, 23:30");
  expect(dueWords("soon")).toBe("soon");
});
