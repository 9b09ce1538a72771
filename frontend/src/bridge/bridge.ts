import { openBrowser, type BrowserHandlers, type BrowserStream } from "./browser";
import { openEvents, type Closer, type EventHandlers, type EventLink } from "./events";
import { openFile, type FileHandlers } from "./file";
import type { Call } from "./methods";
import { Rpc } from "./rpc";
import { dialer, type Dial } from "./socket";
import { openTerminal, type TerminalHandlers, type TerminalStream } from "./terminal";
import type { Connection, Problem } from "./types";
import { hostCall } from "./wails";

/** Everything that the page uses of Go. */
export interface Bridge {
  /** True in the Wails window, false in an ordinary browser. */
  readonly window: boolean;
  readonly connection: Connection;
  readonly call: Call;
  events(on: EventHandlers): EventLink;
  terminal(pane: string, on: TerminalHandlers): TerminalStream;
  browser(pane: string, on: BrowserHandlers): BrowserStream;
  file(pane: string, on: FileHandlers): Closer;
}

/** How the connection of an ordinary browser can end. */
export interface ServeHandlers {
  /** The session ended: only logging in helps. */
  login: () => void;
}

function serveBridge(call: Call, dial: Dial, connection: Connection, window: boolean): Bridge {
  return {
    window,
    connection,
    call,
    events: (on) => openEvents(dial, on),
    terminal: (pane, on) => openTerminal(dial, pane, on),
    browser: (pane, on) => openBrowser(dial, pane, on),
    file: (pane, on) => openFile(dial, pane, on),
  };
}

const loggedOut: Problem = { code: "refused", message: "your session has ended", hint: "log in again", field: "" };

/**
 * Reports whether the session has ended. A WebSocket does not show why a handshake was
 * refused, and the start page answers with its login form; any other file of
 * the page is refused. A server that cannot be reached does not count.
 */
async function sessionEnded(): Promise<boolean> {
  try {
    const answer = await fetch(import.meta.url, { method: "HEAD", redirect: "manual", cache: "no-store" });
    return answer.status === 401 || answer.status === 403;
  } catch {
    return false;
  }
}

/** Connects the page to the window's host process if it is in the window, otherwise to the server that the page came from. */
export async function connect(on: ServeHandlers): Promise<Bridge> {
  const call = hostCall();
  if (call) {
    const connection = await call("SettingsAPI.Connect");
    return serveBridge(call, dialer(connection.url, connection.token), connection, true);
  }
  const dial = dialer("", "");
  const rpc = new Rpc(dial, {
    down: () => {
      void sessionEnded().then((ended) => {
        if (!ended) return;
        rpc.refuse(loggedOut);
        on.login();
      });
    },
  });
  const connection = await rpc.call("SettingsAPI.Connect");
  return serveBridge(rpc.call, dial, connection, false);
}
