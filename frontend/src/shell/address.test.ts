import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import { App } from "@/store/app";
import { flushAll, until } from "@/testing/mount";
import { followAddress, placeIn, queryOf } from "./address";

const done = "01m0done0000000000000000e5";
const noSetting = { setting: "" };
let stop: () => void = () => undefined;

beforeEach(() => window.history.replaceState(null, "", "/"));
afterEach(() => stop());

/** An app whose page was opened at an address. */
async function open(address: string) {
  window.history.replaceState(null, "", address);
  const app = new App(new FakeBridge(), { problem: () => undefined, done: () => undefined });
  await app.start();
  const entries: string[] = [];
  // The history of the test's page cannot go back, so the test stores it here.
  const page = {
    location: window.location,
    history: {
      pushState: (_: unknown, title: string, url: string) => {
        entries.push(window.location.search);
        window.history.pushState(null, title, url);
      },
      replaceState: (_: unknown, title: string, url: string) => window.history.replaceState(null, title, url),
    },
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  } as unknown as Window;
  const end = followAddress(app, page);
  stop = () => {
    end();
    app.sync.stop();
  };
  await until(() => expect(app.state.goals.loaded).toBe(true));
  const back = async () => {
    window.history.replaceState(null, "", `/${entries.pop() ?? ""}`);
    window.dispatchEvent(new PopStateEvent("popstate"));
    await flushAll();
  };
  return { app, entries, back, at: () => window.location.search };
}

test("an address names a goal and its tab; what it does not know leads to the nearest place", () => {
  expect(placeIn("?goal=01m0&tab=changes")).toEqual({
    ...noSetting,
    route: "goals",
    goal: "01m0",
    opened: true,
    tab: "changes",
  });
  expect(placeIn("?goal=01m0&tab=nothing")?.tab).toBe("log");
  expect(placeIn("?place=goals&goal=01m0")).toEqual({
    ...noSetting,
    route: "goals",
    goal: "01m0",
    opened: false,
    tab: "log",
  });
  expect(placeIn("?place=settings")).toMatchObject({ route: "settings", setting: "" });
  expect(placeIn("?place=settings&at=terminal-font-size")?.setting).toBe("Terminal font size");
  expect(placeIn("?place=settings&at=nowhere")?.setting).toBe("");
  for (const none of ["", "?place=elsewhere", "?tab=changes", "?token=x"]) expect(placeIn(none)).toBeNull();
  const place = { ...noSetting, route: "goals", goal: "01m0", opened: true, tab: "checks" } as const;
  expect(queryOf(place, "?theme=dark&place=settings")).toBe("?theme=dark&goal=01m0&tab=checks");
  expect(queryOf({ ...place, route: "workspace", goal: "", opened: false }, "?goal=1&tab=checks")).toBe("");
});

test("a link opens the tab of a goal", async () => {
  const { app, at, entries } = await open(`/?goal=${done}&tab=changes`);
  expect([app.state.route, app.state.detail.id, app.state.goalTab]).toEqual(["goals", done, "changes"]);
  expect(app.state.openedGoal).toBe(done);
  await flushAll();
  expect(at()).toBe(`?goal=${done}&tab=changes`);
  expect(entries).toEqual([]);
});

test("back leads through what was opened: tabs, goals and places, and not through goals on the way", async () => {
  const { app, at, back, entries } = await open("/");
  app.openGoal(livelyId);
  await flushAll();
  app.set({ goalTab: "changes" });
  await flushAll();
  expect(at()).toBe(`?goal=${livelyId}&tab=changes`);
  app.sync.select("01m0running00000000000000a1"); // the arrow keys pass over it
  await flushAll();
  app.openGoal(done);
  await flushAll();
  app.go("settings");
  await flushAll();
  expect(at()).toBe("?place=settings");
  expect(entries).toHaveLength(4);
  await back();
  expect([app.state.route, app.state.detail.id]).toEqual(["goals", done]);
  await back();
  expect(app.state.detail.id).toBe("01m0running00000000000000a1");
  await back();
  expect([app.state.detail.id, app.state.goalTab]).toEqual([livelyId, "log"]);
  await back();
  expect(app.state.route).toBe("workspace");
  expect(entries).toEqual([]);
  expect(at()).toBe("");
});

test("each page and row of the settings has an address, and back leads through them", async () => {
  const { app, at, back, entries } = await open("/?place=settings&at=terminal");
  expect(app.state).toMatchObject({ route: "settings", settingsAt: { title: "Terminal" } });
  app.openSettings("Daily limit");
  await flushAll();
  expect(at()).toBe("?place=settings&at=daily-limit");
  app.openSettings("Models");
  await flushAll();
  expect(at()).toBe("?place=settings&at=models");
  await back();
  expect(app.state.settingsAt).toEqual({ title: "Daily limit", isNew: true });
  await back();
  expect([app.state.settingsAt.title, entries]).toEqual(["Terminal", []]);
});

test("a phone's list is a place of its own, and a deleted goal leads to it", async () => {
  const { app, at, back } = await open("/?place=goals");
  expect([app.state.route, app.state.openedGoal]).toEqual(["goals", ""]);
  app.openGoal(done);
  await flushAll();
  await back();
  expect([app.state.route, app.state.openedGoal]).toEqual(["goals", ""]);
  app.openGoal(done);
  app.sync.select("");
  await flushAll();
  expect([app.state.openedGoal, at()]).toEqual(["", "?place=goals"]);
});
