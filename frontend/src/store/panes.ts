import type { PaneEvent, PaneInfo, PaneList, Workspaces } from "@/bridge/types";

export interface PanesState {
  rev: number;
  loaded: boolean;
  panes: readonly PaneInfo[];
  workspaces: Workspaces;
  /** A revision was missed: the list must be loaded again. */
  gap: boolean;
  /** The pane that an agent last asked to show, and the revision of the list at that time. */
  shown?: { id: string; rev: number };
}

export const noPanes: PanesState = {
  rev: 0,
  loaded: false,
  panes: [],
  workspaces: { list: [], active: "", closing: {} },
  gap: false,
};

export function withPaneList(state: PanesState, list: PaneList): PanesState {
  if (state.loaded && list.rev < state.rev) return { ...state, gap: false };
  return { ...state, rev: list.rev, loaded: true, panes: list.panes ?? [], workspaces: list.workspaces, gap: false };
}

/** Applies the next pane event, drops old ones, and marks a gap, also before the list has loaded. */
export function withPaneEvent(state: PanesState, event: PaneEvent): PanesState {
  if (!state.loaded) return { ...state, gap: true };
  if (event.rev <= state.rev) return state;
  if (event.rev > state.rev + 1) return { ...state, gap: true };
  if (event.workspaces) return { ...state, rev: event.rev, workspaces: event.workspaces };
  const others = state.panes.filter((p) => p.id !== event.pane.id);
  if (event.closed) return { ...state, rev: event.rev, panes: others };
  const known = others.length < state.panes.length;
  const panes = known
    ? state.panes.map((p) => (p.id === event.pane.id ? event.pane : p))
    : [...state.panes, event.pane];
  const shown = event.focus ? { shown: { id: event.pane.id, rev: event.rev } } : {};
  return { ...state, rev: event.rev, panes, ...shown };
}

/** A pane that a call returned before its event arrived. */
export function withPane(state: PanesState, pane: PaneInfo): PanesState {
  if (state.panes.some((p) => p.id === pane.id)) return state;
  return { ...state, panes: [...state.panes, pane] };
}

/** A browser pane's socket may be ahead of the list: its facts win until the next event. */
export function withPaneInfo(state: PanesState, pane: PaneInfo): PanesState {
  if (!state.panes.some((p) => p.id === pane.id)) return state;
  return { ...state, panes: state.panes.map((p) => (p.id === pane.id ? pane : p)) };
}

/** The folder on this computer in which a pane works, `""` if there is none. */
export function paneFolder(pane: PaneInfo): string {
  if (pane.kind === "file") return pane.path.slice(0, pane.path.lastIndexOf("/")) || "/";
  return pane.kind === "browser" || pane.server ? "" : pane.cwd || pane.dir;
}

/** The name of a pane; a new one has no title yet. */
export function paneTitle(pane: Pick<PaneInfo, "title" | "kind">): string {
  return pane.title || (pane.kind === "terminal" ? "terminal" : "new page");
}
