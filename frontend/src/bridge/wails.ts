import { asProblem, CallError } from "./problem";
import type { Call } from "./methods";

type Bound = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

interface WailsWindow {
  go?: { calls?: Bound; main?: { Host?: { Call: (method: string, args: string) => Promise<unknown> } } };
  runtime?: {
    ClipboardGetText?: () => Promise<string>;
    ClipboardSetText?: (text: string) => Promise<boolean>;
    BrowserOpenURL?: (url: string) => void;
    WindowSetTitle?: (title: string) => void;
    EventsOn?: (name: string, on: (...data: unknown[]) => void) => unknown;
    EventsEmit?: (name: string, ...data: unknown[]) => void;
  };
}

/** The globals that Wails adds to the page. They are absent in an ordinary browser. */
export function wails(): WailsWindow {
  return window as unknown as WailsWindow;
}

/** A call through the window. `send` makes it; what it is refused with carries Go's problem. */
export function windowCall(send: (method: string, args: unknown[]) => Promise<unknown>): Call {
  return async (method, ...args) => {
    try {
      return (await send(method, args)) as never;
    } catch (reason) {
      throw new CallError(asProblem(reason));
    }
  };
}

/** The calls of the window, which passes them on to the host process; null in an ordinary browser. */
export function hostCall(): Call | null {
  const host = wails().go?.main?.Host;
  return host ? windowCall((method, args) => host.Call(method, JSON.stringify(args))) : null;
}

/** The calls of a window that has no host process, which shows why; null in every other window. */
export function repairCall(): Call | null {
  const bound = wails().go?.calls?.DatabaseAPI;
  if (!bound) return null;
  return windowCall(async (method, args) => bound[method.replace(/^\w+\./, "")]?.(...args));
}
