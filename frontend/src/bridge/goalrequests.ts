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
