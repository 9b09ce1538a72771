import { afterEach, expect, it, vi } from "vitest";

interface Tools {
  goalpostDevTools?: unknown;
  goalpostDevToolsReceive?: (messages: string[]) => void;
  WebSocket: new (url: string) => WebSocket;
}

const tools = globalThis as unknown as Tools;
const BrowserSocket = vi.fn();

/** loadScript runs the script in a document of this origin, and gives the messages that it sends to Go. */
async function loadScript(origin: string): Promise<string[]> {
  const sent: string[] = [];
  vi.resetModules();
  vi.stubGlobal("location", { origin });
  vi.stubGlobal("WebSocket", BrowserSocket);
  vi.stubGlobal("goalpostDevTools", (message: string) => sent.push(message));
  vi.stubGlobal("goalpostDevToolsReceive", undefined);
  await import("./devtools");
  return sent;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("passes messages between the tools and Go, in order", async () => {
  const sent = await loadScript("devtools://devtools");
  const socket = new tools.WebSocket("ws://goalpost/page");
  const received: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    socket.onmessage = (e) => {
      if (received.push(e.data) === 2) resolve();
    };
  });
  await new Promise((resolve) => (socket.onopen = resolve));
  expect(socket.readyState).toBe(1);
  socket.send("command");
  expect(sent).toEqual(["command"]);
  tools.goalpostDevToolsReceive?.(["first", "second"]);
  await done;
  expect(received).toEqual(["first", "second"]);
});

it("reports that a socket was closed", async () => {
  await loadScript("devtools://devtools");
  const socket = new tools.WebSocket("ws://goalpost/page");
  const onclose = vi.fn();
  socket.onclose = onclose;
  socket.close();
  expect([socket.readyState, onclose.mock.calls.length]).toEqual([3, 1]);
});

it("removes the binding from documents of the tools", async () => {
  await loadScript("devtools://devtools");
  expect(tools.goalpostDevTools).toBeUndefined();
});

it("gives a document of another origin neither the binding nor the socket", async () => {
  await loadScript("https://preview.example");
  expect(tools.goalpostDevTools).toBeUndefined();
  expect(tools.goalpostDevToolsReceive).toBeUndefined();
  expect(tools.WebSocket).toBe(BrowserSocket);
});
