import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import type { Problem } from "@/bridge/types";
import type { WorkspaceControl } from "@/panes/control";
import { App } from "@/store/app";
import { asksUser } from "@/store/goalcards";
import { summary } from "@/store/goals";
import { until } from "@/testing/mount";
import { buildCommands } from "./actions";
import { listenForShortcuts } from "./keyboard";

let stop: () => void = () => undefined;
afterEach(() => stop());
beforeEach(() => vi.stubGlobal("requestAnimationFrame", (fn: () => void) => (queueMicrotask(fn), 1)));

async function start(bridge = new FakeBridge(), control = { activePane: undefined } as unknown as WorkspaceControl) {
  const problems: Problem[] = [];
  const app = new App(bridge, { problem: (p) => problems.push(p), done: () => undefined });
  const actions = buildCommands(app, control);
  await app.start();
  const silence = listenForShortcuts(window, app, actions);
  stop = () => {
    silence();
    app.sync.stop();
  };
  await until(() => expect(app.state.goals.loaded && app.state.panes.loaded).toBe(true));
  return { app, bridge, actions, problems };
}

function press(code: string, mods: KeyboardEventInit = {}, target: EventTarget = document.body) {
  const e = new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true, ...mods });
  target.dispatchEvent(e);
  return e;
}

const ctrlShift = { ctrlKey: true, shiftKey: true };

test("Ctrl+Shift+G opens the dashboard with the dialog in front, and pressed again closes both", async () => {
  const { app } = await start();
  press("KeyG", ctrlShift);
  expect([app.state.route, app.state.newGoal.open]).toEqual(["goals", true]);
  app.closeNewGoal();
  expect(app.state.route).toBe("goals");
  press("KeyG", { metaKey: true, shiftKey: true });
  expect([app.state.route, app.state.newGoal.open]).toEqual(["workspace", false]);
});

test("the app's keys come before those of the focused pane, and shell keys are left alone", async () => {
  await start();
  const terminal = document.body.appendChild(document.createElement("textarea"));
  const seen: string[] = [];
  terminal.addEventListener("keydown", (e) => seen.push(e.code));
  expect(press("KeyP", ctrlShift, terminal).defaultPrevented).toBe(true);
  for (const code of ["KeyR", "KeyW", "KeyT", "KeyB", "KeyA", "KeyE", "KeyK", "KeyL", "KeyD", "KeyC"]) {
    expect(press(code, { ctrlKey: true }, terminal).defaultPrevented).toBe(false);
  }
  expect(seen).not.toContain("KeyP");
  expect(seen).toHaveLength(10);
  expect(press("Period", { ctrlKey: true }, terminal).defaultPrevented).toBe(true);
  terminal.remove();
});

test("the leader takes one letter", async () => {
  const { app } = await start();
  press("Space", ctrlShift);
  expect(app.state.leader).toBe(true);
  press("ShiftLeft", { shiftKey: true });
  press("KeyS");
  expect([app.state.leader, app.state.route]).toEqual([false, "settings"]);
  press("KeyL");
  expect(app.state.route).toBe("settings");
});

test("F1 is a terminal's own key, and Help is there after the leader", async () => {
  const { app } = await start();
  const terminal = document.body.appendChild(document.createElement("div"));
  terminal.className = "xterm";
  const field = terminal.appendChild(document.createElement("textarea"));
  field.focus();
  expect(press("F1", {}, field).defaultPrevented).toBe(false);
  expect(app.state.help).toBeNull();
  press("Space", ctrlShift, field);
  press("KeyA", {}, field);
  expect(app.state.help).not.toBeNull();
  terminal.remove();
});

test("Alt with an arrow is a page's own key where it can go back, and the leader's arrows still change the pane", async () => {
  const moves: string[] = [];
  const control = {
    activePane: { kind: "browser", can_back: true, can_forward: false },
    focus: (side: string) => moves.push(side),
  } as unknown as WorkspaceControl;
  await start(new FakeBridge(), control);
  const page = document.body.appendChild(document.createElement("textarea"));
  page.dataset.testid = "browser-keys";
  page.focus();
  expect(press("ArrowLeft", { altKey: true }, page).defaultPrevented).toBe(false);
  press("ArrowRight", { altKey: true }, page);
  press("Space", ctrlShift, page);
  press("ArrowLeft", {}, page);
  page.blur();
  press("ArrowLeft", { altKey: true });
  expect(moves).toEqual(["right", "left", "left"]);
  page.remove();
});

test("every action has its own id, key and leader letter", async () => {
  const { actions } = await start();
  const unique = (all: string[]) => expect(new Set(all).size).toBe(all.length);
  unique(actions.map((a) => a.id));
  unique(actions.flatMap((a) => a.keys.map((key) => `${a.where} ${key}`)));
  unique(actions.map((a) => a.leader).filter(Boolean));
});

test("the selected goal is whole after its snapshots and follows its events", async () => {
  const { app, bridge } = await start();
  app.sync.select(livelyId);
  await until(() => expect(app.state.detail.journalLoaded && app.state.detail.stepsLoaded).toBe(true));
  expect(app.state.detail.steps).toHaveLength(12);
  expect(app.state.detail.journal.claims).toHaveLength(1);
  bridge.say(livelyId, { type: "steered", text: "mind the styles" });
  await until(() => expect(app.state.detail.journal.notes.at(-1)?.text).toBe("mind the styles"));
});

test("an event that was missed makes the page ask again", async () => {
  const { app, bridge } = await start();
  app.sync.select(livelyId);
  await until(() => expect(app.state.detail.journalLoaded).toBe(true));
  bridge.goals.get(livelyId)?.record({ type: "iteration", n: 90 }, Date.now());
  bridge.say(livelyId, { type: "iteration", n: 91 });
  await until(() => expect(app.state.detail.view?.iterations).toBe(91));
  await until(() => expect(app.state.goals.byId[livelyId]?.card.iterations).toBe(91));
});

test("a refused call is shown, and the setting is taken back", async () => {
  const { app, bridge, problems } = await start();
  bridge.refusals.set("SettingsAPI.Save", { code: "internal", message: "the disk is full", hint: "", field: "" });
  await app.settings.save({ font_size: 20 });
  expect(problems.map((p) => p.message)).toEqual(["the disk is full"]);
  expect(app.state.settings?.font_size).toBe(13);
});

test("a pane that a goal works in is closed only after asking", async () => {
  const { app, bridge } = await start();
  app.panes.close("t2");
  expect(bridge.calls.some((c) => c.method === "TerminalAPI.Close")).toBe(false);
  await app.state.question?.run();
  await until(() => expect(app.state.panes.panes.some((p) => p.id === "t2")).toBe(false));
});

test("panes that an agent opens appear by themselves, and a lost socket is made good", async () => {
  const { app, bridge } = await start();
  const open = await bridge.call("BrowserAPI.Open", { url: "http://127.0.0.1:1/", width: 1, height: 1, profile: "" });
  await until(() => expect(app.state.panes.panes.some((p) => p.id === open.id)).toBe(true));
  bridge.drop();
  expect(app.state.link).toBe("open");
});

test("a terminal in which a command runs is closed only after asking", async () => {
  const { app, bridge } = await start();
  const closed = () => bridge.calls.filter((c) => c.method === "TerminalAPI.Close").map((c) => c.args[0]);
  app.panes.close("t1", { command: "" });
  expect(closed()).toEqual([]);
  expect(app.state.question?.title).toContain("A command is running");
  app.panes.close("t1", { command: "npm run \u202Edev" });
  expect(app.state.question?.title).toBe("“npm run ‹U+202E›dev” is running. Close the terminal?");
  await app.state.question?.run();
  expect(closed()).toEqual(["t1"]);
});

test("the command for goals that need the user opens one whose call waits for an approval", async () => {
  const { app, actions } = await start();
  const { by } = summary(app.state.goals.byId);
  app.set({
    goals: {
      ...app.state.goals,
      byId: Object.fromEntries(by.needs_you.filter(asksUser).map((card) => [card.id, { card, asOf: 0 }])),
    },
  });
  const [asking] = Object.keys(app.state.goals.byId);
  expect(asking).toBeDefined();
  await actions.find((a) => a.id === "goals.needs-you")?.run();
  expect([app.state.route, app.state.detail.id]).toEqual(["goals", asking]);
});
