import type { StoreApi } from "zustand/vanilla";
import type { AppState } from "./state";

interface Drawers {
  drawer: boolean;
  ownDrawer: boolean;
  /** The goal in them. */
  goal: string;
}

const key = "goalpost.drawers";

/** The drawers when this window was closed; nothing if it has not been opened before. */
function saved(storage: Storage): Partial<Drawers> {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (typeof parsed !== "object" || parsed === null) return {};
    const { drawer, ownDrawer, goal } = parsed as Record<string, unknown>;
    if (typeof drawer !== "boolean" || typeof ownDrawer !== "boolean" || typeof goal !== "string") return {};
    return { drawer, ownDrawer, goal };
  } catch {
    return {}; // nothing was saved, or the browser stores nothing
  }
}

/** The goal that this window showed last, "" for none. */
export function lastGoal(storage: Storage): string {
  return saved(storage).goal ?? "";
}

/** Opens the drawers as this window had them, and saves each change for its next start. */
export function rememberDrawers(store: StoreApi<AppState>, storage: Storage): void {
  const { drawer, ownDrawer } = saved(storage);
  if (drawer !== undefined && ownDrawer !== undefined) store.setState({ drawer, ownDrawer });
  store.subscribe((s, before) => {
    const goal = s.detail.id;
    if (s.drawer === before.drawer && s.ownDrawer === before.ownDrawer && goal === before.detail.id) return;
    try {
      storage.setItem(key, JSON.stringify({ drawer: s.drawer, ownDrawer: s.ownDrawer, goal }));
    } catch {
      // The browser stores nothing.
    }
  });
}
