import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { all, find, flushAll, get, mount, nth, press, until, write } from "@/testing/mount";
import { ScheduleDialog } from "./dialog";
import { SchedulesPage } from "./page";
import { dueWords } from "./words";

async function draw(bridge = new FakeBridge()) {
  const app = await mount(
    <>
      <SchedulesPage />
      <ScheduleDialog />
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
