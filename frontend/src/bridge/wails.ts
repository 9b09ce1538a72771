import { asProblem, CallError } from "./problem";
import type { Call } from "./methods";

type Bound = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

interface WailsWindow {
  go?: { calls?: Bound };
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

/** A call through the window's bindings. */
export function boundCall(bound: Bound): Call {
  return async (method, ...args) => {
    const [area = "", name = ""] = method.split(".");
    const fn = bound[area]?.[name];
    if (!fn) {
      throw new CallError({
        code: "unavailable",
        message: `${method} is not part of this program`,
        hint: "",
        field: "",
      });
    }
    try {
      return (await fn(...args)) as never;
    } catch (reason) {
      throw new CallError(asProblem(reason));
    }
  };
}

/** The calls of a window whose database cannot be read; null in every other window. */
export function repairCall(): Call | null {
  const bound = wails().go?.calls;
  return bound?.DatabaseAPI ? boundCall(bound) : null;
}
