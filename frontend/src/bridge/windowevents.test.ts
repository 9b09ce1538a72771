import { afterEach, expect, test } from "vitest";
import { restartHost, watchGoalRequests, watchUpdate } from "./windowevents";
import { wails } from "./wails";

afterEach(() => {
  delete wails().runtime;
});

test("requests_AfterThePageListens_OpenTheirGoals", () => {
  const calls: unknown[] = [];
  const on = new Map<string, (...data: unknown[]) => void>();
  wails().runtime = {
    EventsOn: (name, handle) => on.set(name, handle),
    EventsEmit: (name) => calls.push([...on.keys(), name]),
  };
  const opened: string[] = [];
  watchGoalRequests((id) => opened.push(id));
  expect(calls).toEqual([["open-goal", "page-ready"]]);
  on.get("open-goal")?.("abcdef");
  on.get("open-goal")?.({ id: "abcdef" });
  expect(opened).toEqual(["abcdef"]);
});

test("browser_WithoutWails_HasNoRequests", () => {
  expect(() =>
    watchGoalRequests(() => {
      throw new Error("opened");
    }),
  ).not.toThrow();
});

test("update_HostOfAnotherVersion_IsReportedAndStarted", () => {
  const emitted: string[] = [];
  const on = new Map<string, (...data: unknown[]) => void>();
  wails().runtime = {
    EventsOn: (name, handle) => on.set(name, handle),
    EventsEmit: (name) => emitted.push(name),
  };
  const versions: string[] = [];
  watchUpdate((version) => versions.push(version));
  on.get("update-waits")?.("2.0");
  restartHost();
  expect(versions).toEqual(["2.0"]);
  expect(emitted).toEqual(["restart-host"]);
});
