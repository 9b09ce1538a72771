import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeDial } from "./fake/socket";
import { CallError } from "./problem";
import { Rpc } from "./rpc";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("answers are matched by id, in any order", async () => {
  const { dial, last } = fakeDial();
  const rpc = new Rpc(dial);
  last().open();
  const layout = rpc.call("WorkspaceAPI.Panes");
  const output = rpc.call("GoalAPI.Output", "abc");
  expect(last().path).toBe("/v1/rpc");
  expect(last().sent).toEqual([
    { id: 1, method: "WorkspaceAPI.Panes", args: [] },
    { id: 2, method: "GoalAPI.Output", args: ["abc"] },
  ]);
  last().say({ id: 2, result: "second" });
  last().say({ id: 1, result: "first" });
  expect(await layout).toBe("first");
  expect(await output).toBe("second");
});

test("a problem rejects with its words and its field", async () => {
  const { dial, last } = fakeDial();
  const rpc = new Rpc(dial);
  last().open();
  const call = rpc.call("GoalAPI.Get", "x");
  last().say({ id: 1, problem: { code: "not_found", message: "no such goal", hint: "look", field: "id" } });
  const reason: unknown = await call.catch((e: unknown) => e);
  expect(reason).toBeInstanceOf(CallError);
  expect((reason as CallError).problem).toEqual({
    code: "not_found",
    message: "no such goal",
    hint: "look",
    field: "id",
  });
});

test("a call made while the socket is down is sent once it is up", async () => {
  const { dial, last, sockets } = fakeDial();
  const rpc = new Rpc(dial);
  const call = rpc.call("WorkspaceAPI.Panes");
  expect(last().sent).toEqual([]);
  last().lose();
  vi.advanceTimersByTime(10_000);
  expect(sockets).toHaveLength(2);
  last().open();
  expect(last().sent).toHaveLength(1);
  last().say({ id: 1, result: "late" });
  expect(await call).toBe("late");
});

test("a call on the way when the socket closes is rejected and never repeated", async () => {
  const { dial, last } = fakeDial();
  const rpc = new Rpc(dial);
  last().open();
  const call = rpc.call("GoalAPI.Abort", "g");
  last().lose();
  await expect(call).rejects.toMatchObject({ problem: { code: "unavailable" } });
  vi.advanceTimersByTime(10_000);
  last().open();
  expect(last().sent).toEqual([]);
});

test("an unknown id and a message that is no JSON are ignored", () => {
  const { dial, last } = fakeDial();
  const rpc = new Rpc(dial);
  last().open();
  last().say({ id: 99, result: 1 });
  last().onmessage?.(new MessageEvent("message", { data: "<html>" }));
  void rpc.call("WorkspaceAPI.Panes").catch(() => undefined);
  expect(last().sent).toHaveLength(1);
  rpc.close();
});
