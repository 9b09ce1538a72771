// Runs in Chromium's developer tools, before their own scripts. The tools talk to the page that they inspect over a
// WebSocket, which this replaces: goalpostDevTools sends a message to Go, and Go calls goalpostDevToolsReceive with the
// messages of the page.

interface Listeners {
  onopen: ((e: Event) => void) | null;
  onmessage: ((e: MessageEvent<string>) => void) | null;
  onclose: ((e: CloseEvent) => void) | null;
  onerror: ((e: Event) => void) | null;
}

interface DevToolsGlobals {
  goalpostDevTools?: (message: string) => void;
  goalpostDevToolsReceive?: (messages: string[]) => void;
  WebSocket: unknown;
}

const globals = globalThis as unknown as DevToolsGlobals;
const send = globals.goalpostDevTools;
// The tools preview responses of a page in a frame, which must not reach other pages through the binding.
delete globals.goalpostDevTools;

if (send && window === window.top && location.origin === "devtools://devtools") {
  let open: DevToolsSocket | null = null;

  class DevToolsSocket implements Listeners {
    onopen: Listeners["onopen"] = null;
    onmessage: Listeners["onmessage"] = null;
    onclose: Listeners["onclose"] = null;
    onerror: Listeners["onerror"] = null;
    readyState = 0;

    constructor() {
      connect(this);
      // After the constructor has returned, as a real WebSocket does.
      setTimeout(() => {
        this.readyState = 1;
        this.onopen?.(new Event("open"));
      });
    }

    send(message: string) {
      send?.(message);
    }

    close() {
      this.readyState = 3;
      this.onclose?.(new CloseEvent("close"));
    }
  }

  // Each message runs in its own task, as with a WebSocket: a message may rely on the effects of the one before.
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = (e: MessageEvent<string>) => open?.onmessage?.(new MessageEvent("message", { data: e.data }));
  const connect = (socket: DevToolsSocket) => {
    open = socket;
  };
  globals.WebSocket = DevToolsSocket;
  globals.goalpostDevToolsReceive = (messages) => {
    for (const data of messages) port1.postMessage(data);
  };
}

export {}; // makes this a module, which unit tests import
