import { wails } from "./wails";

/**
 * Calls `open` with the id of each goal that another program asks the window to
 * show (`goalpost open`). The window keeps a request until it gets `page-ready`.
 * An ordinary browser has no such requests.
 */
export function watchGoalRequests(open: (id: string) => void): void {
  const { EventsOn, EventsEmit } = wails().runtime ?? {};
  if (!EventsOn || !EventsEmit) return;
  EventsOn("open-goal", (id) => {
    if (typeof id === "string") open(id);
  });
  EventsEmit("page-ready");
}

/** What keeps running in the host process if the window closes. */
export interface Running {
  goals: number;
  terminals: number;
  pages: number;
}

/** What becomes of what runs when the window closes; "cancel" leaves the window open. */
type CloseAnswer = "keep" | "stop" | "cancel";

/** Calls `ask` when the user closes the window while something runs. */
export function watchClosing(ask: (running: Running) => void): void {
  wails().runtime?.EventsOn?.("close-window", (...numbers) => {
    const [goals = 0, terminals = 0, pages = 0] = numbers.map(Number);
    ask({ goals, terminals, pages });
  });
}

/**
 * Calls `waits` with the version of the window's program if the host process, and with it this page, is of another
 * version.
 */
export function watchUpdate(waits: (version: string) => void): void {
  wails().runtime?.EventsOn?.("update-waits", (version) => {
    if (typeof version === "string") waits(version);
  });
}

/** Ends the host process of another version. The program then starts again, with a host process of its own version. */
export function restartHost(): void {
  wails().runtime?.EventsEmit?.("restart-host");
}

export function answerClosing(answer: CloseAnswer): void {
  wails().runtime?.EventsEmit?.("close-answer", answer);
}
