import { afterEach, expect, test, vi } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import { terminalPane } from "@/bridge/fake/fixtures";
import type { Method } from "@/bridge/methods";
import { until } from "@/testing/mount";
import { App } from "./app";

let app: App;
afterEach(() => {
  app.sync.stop();
  vi.restoreAllMocks();
});

const ended = { type: "ended", status: "completed", exit: "done", verified: true, report: null } as const;

/** A bridge whose answers to one method are computed at once, and arrive when the test releases them. */
function slow(slowly: Method) {
  const bridge = new FakeBridge();
  const real = bridge.call;
  const held: (() => void)[] = [];
  let holds = false;
  vi.spyOn(bridge, "call").mockImplementation(async (method, ...args) => {
    const answer = await real(method, ...(args as never));
    if (holds && method === slowly) await new Promise<void>((go) => held.push(go));
    return answer;
  });
  return {
    bridge,
    hold: () => (holds = true),
    held,
    letGo: () => {
      holds = false;
      for (const go of held.splice(0)) go();
    },
  };
}

test("what a goal does while it is asked for is asked for, too", async () => {
  const { bridge, hold, held, letGo } = slow("GoalAPI.Get");
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  await app.start();
  await until(() => expect(app.state.goals.loaded && app.state.detail.journalLoaded).toBe(true));
  const card = () => app.state.goals.byId[livelyId]?.card;

  hold();
  bridge.goals.get(livelyId)?.record({ type: "iteration", n: 90 }, Date.now()); // nobody receives it
  bridge.say(livelyId, { type: "iteration", n: 91 });
  await until(() => expect(held).not.toHaveLength(0));
  bridge.say(livelyId, ended); // its last event
  await new Promise((drawn) => requestAnimationFrame(drawn));
  letGo();
  await until(() => expect(card()).toMatchObject({ iterations: 91, status: "completed" }));
});

test("a goal that begins while the first list is on its way is there", async () => {
  const { bridge, hold, held, letGo } = slow("GoalAPI.List");
  const goal = bridge.goals.get(livelyId);
  bridge.goals.delete(livelyId);
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  hold();
  await app.start();
  await until(() => expect(held).toHaveLength(1));
  if (goal) bridge.goals.set(livelyId, goal);
  bridge.say(livelyId, { type: "iteration", n: 90 });
  await until(() => expect(app.state.goals.byId[livelyId]).toBeDefined());
  letGo();
  await until(() => expect(app.state.goals.loaded).toBe(true));
  expect(app.state.goals.byId[livelyId]?.card.iterations).toBe(90);
});

test("a pane that opens while the first list is on its way is there", async () => {
  const { bridge, hold, held, letGo } = slow("WorkspaceAPI.Panes");
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  hold();
  await app.start();
  await until(() => expect(held).toHaveLength(1));
  bridge.putPane(terminalPane("t77"));
  letGo();
  await until(() => expect(app.state.panes.panes.map((p) => p.id)).toContain("t77"));
});

test("a goal that is opened in the middle of a turn shows what its model has streamed", async () => {
  const { bridge, hold, held, letGo } = slow("GoalAPI.Get");
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  await app.start();
  await until(() => expect(app.state.detail.journalLoaded).toBe(true));
  app.sync.select("");
  bridge.say(livelyId, { type: "delta", text: "", reasoning: "First the " });
  hold();
  app.sync.select(livelyId);
  await until(() => expect(held).toHaveLength(1));
  bridge.say(livelyId, { type: "delta", text: "", reasoning: "folder." });
  letGo();
  await until(() => expect(app.state.detail.journalLoaded).toBe(true));
  await until(() => expect(app.state.streamed[livelyId]?.thinking).toBe("First the folder."));
});

test("text that grows waits while the page rests from drawing it, and what else happens does not", async () => {
  const bridge = new FakeBridge();
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  await app.start();
  await until(() => expect(app.state.goals.loaded).toBe(true));
  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  const shown = () => app.state.streamed[livelyId]?.text ?? "";
  const say = (text: string) => bridge.say(livelyId, { type: "delta", text, reasoning: "" });
  let clock = 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  // Drawing the first words takes 100 ms; then the clock is still.
  const stop = app.store.subscribe((s, old) => void (s.streamed !== old.streamed && (clock += 100)));
  say("One ");
  await until(() => expect(shown()).toBe("One "));
  stop();
  await new Promise((done) => setTimeout(done));
  say("two ");
  await frame();
  await frame();
  expect(shown()).toBe("One ");
  bridge.say(livelyId, { type: "todos", items: [] });
  await until(() => expect(shown()).toBe("One two "));
  clock += 10_000;
  say("three");
  await until(() => expect(shown()).toBe("One two three"));
});

test("the first words do not wait for the page to rest from drawing something else", async () => {
  const bridge = new FakeBridge();
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  await app.start();
  await until(() => expect(app.state.goals.loaded).toBe(true));
  let clock = 10_000;
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  // Drawing the todos takes 100 ms; then the clock is still, so that no rest ends.
  const stop = app.store.subscribe((s, old) => void (s.detail !== old.detail && (clock += 100)));
  bridge.say(livelyId, { type: "todos", items: [] });
  await until(() => expect(clock).toBeGreaterThan(10_000));
  stop();
  await new Promise((done) => setTimeout(done));
  bridge.say(livelyId, { type: "delta", text: "At once.", reasoning: "" });
  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  await frame();
  await frame();
  expect(app.state.streamed[livelyId]?.text).toBe("At once.");
});
