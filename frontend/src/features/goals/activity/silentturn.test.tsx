import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { livelyId } from "@/bridge/fake/bridge";
import type { GoalEvent } from "@/bridge/types";
import { act } from "@/testing/act";
import { find, get, mount, until } from "@/testing/mount";
import { withFact } from "@/store/journal";
import { LiveWords } from "./livewords";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

test("a turn in which the model sends nothing says what it waits for and how long, until anything arrives", async () => {
  const { app } = await mount(<LiveWords className="grid" testid="live-text" />, undefined, async (a) => {
    await a.start();
    a.sync.select(livelyId);
  });
  await until(() => expect(app.state.detail.journalLoaded).toBe(true));
  const began = Date.now();
  const happens = (event: object) => {
    const { detail } = app.state;
    const journal = withFact(detail.journal, {
      ...{ goal_id: livelyId, seq: detail.journal.seq + 1, at: new Date(began).toISOString(), ...event },
    } as GoalEvent);
    app.set({ detail: { ...detail, journal } });
  };
  act(() => app.set({ streamed: {} }));
  act(() => happens({ type: "iteration", n: 13 }));
  expect(find("silent-turn")).toBeNull();
  vi.setSystemTime(began + 64_000);
  act(() => app.set({ settings: app.state.settings && { ...app.state.settings, silence_minutes: 5 } }));
  await until(() => expect(get("silent-turn").textContent).toMatch(/^Waiting for qwen3-coder to answer · 1 m 0[34] s/));
  expect(get("silent-turn").textContent).toContain("After 5 min without a word, Goalpost asks again.");
  act(() => app.set({ streamed: { [livelyId]: { text: "", thinking: "So…" } } }));
  expect(find("silent-turn")).toBeNull();
  act(() => app.set({ streamed: {} }));
  act(() => happens({ type: "step_started", step_id: 13, tool: "wait", arguments: "{}" }));
  expect(find("silent-turn")).toBeNull();
});
