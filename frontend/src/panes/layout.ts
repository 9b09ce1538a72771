import type { PaneInfo } from "@/bridge/types";

/** The saved layout in dockview's JSON format. Only these parts are read here. */
export interface SavedLayout {
  grid: { root: SavedNode; width: number; height: number; orientation: string };
  panels: Record<string, unknown>;
  activeGroup?: string;
}

interface Leaf {
  type: "leaf";
  data: { views: string[]; activeView?: string; id: string };
  size?: number;
}

interface Branch {
  type: "branch";
  data: SavedNode[];
  size?: number;
}

export type SavedNode = Leaf | Branch;

function isLayout(v: unknown): v is SavedLayout {
  if (typeof v !== "object" || v === null) return false;
  const { grid, panels } = v as { grid?: { root?: { type?: unknown } }; panels?: unknown };
  return grid?.root?.type === "branch" && typeof panels === "object" && panels !== null;
}

/**
 * Parses a saved layout and leaves out panes that no longer exist, with groups and
 * branches that become empty. Null if nothing remains or
 * the text is not a layout.
 */
export function restorableLayout(json: string, exists: (id: string) => boolean): SavedLayout | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return null;
  }
  if (!isLayout(parsed)) return null;
  const root = pruned(parsed.grid.root, exists);
  if (root?.type !== "branch") return null;
  const groups = leaves(root).map((l) => l.data.id);
  const { activeGroup, ...rest } = parsed;
  return {
    ...rest,
    grid: { ...parsed.grid, root },
    panels: Object.fromEntries(Object.entries(parsed.panels).filter(([id]) => exists(id))),
    ...(activeGroup && groups.includes(activeGroup) ? { activeGroup } : {}),
  };
}

function pruned(node: SavedNode, exists: (id: string) => boolean): SavedNode | null {
  if (node.type === "branch") {
    const data = node.data.map((n) => pruned(n, exists)).filter((n) => n !== null);
    return data.length > 0 ? { ...node, data } : null;
  }
  const views = node.data.views.filter(exists);
  const first = views[0];
  if (first === undefined) return null;
  const active = node.data.activeView;
  return { ...node, data: { ...node.data, views, activeView: active && views.includes(active) ? active : first } };
}

function leaves(node: SavedNode): Leaf[] {
  return node.type === "leaf" ? [node] : node.data.flatMap(leaves);
}

const ownLayoutKey = (workspace: string) => `goalpost.layout.${workspace}`;

/** The layout of a workspace that this window saved last, `""` for none. It survives a reload and is not shared. */
export function ownLayout(workspace: string): string {
  try {
    return sessionStorage.getItem(ownLayoutKey(workspace)) ?? "";
  } catch {
    return ""; // the browser stores nothing for this page
  }
}

export function saveOwnLayout(workspace: string, json: string): void {
  try {
    sessionStorage.setItem(ownLayoutKey(workspace), json);
  } catch {
    // Go stores it too.
  }
}

/** The properties of a group that decide where panes are placed. */
export interface GroupInfo {
  id: string;
  panes: readonly PaneInfo[];
}

/** The position of a new pane. */
export type DropTarget =
  { at: "alone" } | { at: "edge"; side: "left" | "right" } | { at: "within" | "below"; group: string };

/**
 * Terminals are placed on the left, browsers on the right. A user's new pane
 * becomes a tab beside panes of its kind, preferably in the active group. A goal's
 * first pane of a kind gets its own place below the user's panes, so that both are
 * visible; the following ones become tabs there.
 */
export function dropTargetFor(
  pane: Pick<PaneInfo, "kind" | "goal_id">,
  groups: readonly GroupInfo[],
  activeGroup: string,
): DropTarget {
  const like = groups.filter((g) => g.panes.length > 0 && g.panes.every((p) => p.kind === pane.kind));
  if (groups.every((g) => g.panes.length === 0)) return { at: "alone" };
  const own = like.find((g) => g.panes.every((p) => p.goal_id === pane.goal_id));
  const active = like.find((g) => g.id === activeGroup);
  const last = like[like.length - 1];
  if (pane.goal_id) {
    if (own) return { at: "within", group: own.id };
    if (last) return { at: "below", group: last.id };
  } else {
    if (active) return { at: "within", group: active.id };
    if (own) return { at: "within", group: own.id };
    if (last) return { at: "below", group: last.id };
  }
  return { at: "edge", side: pane.kind === "terminal" ? "left" : "right" };
}

/** A group is split along its longer side. */
export function splitSide(width: number, height: number): "right" | "below" {
  return width >= height * 1.3 ? "right" : "below";
}

/** A layout of panes in rows and columns of one size, in the order of reading. The first one has the focus. */
export function gridLayout(ids: readonly string[], rows: number, columns: number): SavedLayout {
  const size = 1_200;
  const cell = (row: number, column: number): SavedNode => {
    const id = ids[row * columns + column] ?? "";
    return { type: "leaf", data: { views: [id], activeView: id, id: `g-${id}` }, size: size / rows };
  };
  const data = Array.from({ length: columns }, (_, column): SavedNode => {
    const cells = Array.from({ length: rows }, (_row, row) => cell(row, column));
    return rows === 1 && cells[0]
      ? { ...cells[0], size: size / columns }
      : { type: "branch", data: cells, size: size / columns };
  });
  const panel = (id: string) => ({ id, contentComponent: "pane", tabComponent: "pane", renderer: "always", title: "" });
  return {
    grid: { root: { type: "branch", data, size }, width: size, height: size, orientation: "HORIZONTAL" },
    panels: Object.fromEntries(ids.map((id) => [id, panel(id)])),
    activeGroup: `g-${ids[0] ?? ""}`,
  };
}

/** A layout with other ids of its panes. Panes without a new id are left out. */
export function renamedLayout(json: string, ids: ReadonlyMap<string, string>): SavedLayout | null {
  const layout = restorableLayout(json, (id) => ids.has(id));
  if (!layout) return null;
  const rename = (id: string) => ids.get(id) ?? id;
  const node = (n: SavedNode): SavedNode => {
    if (n.type === "branch") return { ...n, data: n.data.map(node) };
    const { views, activeView } = n.data;
    return { ...n, data: { ...n.data, views: views.map(rename), activeView: rename(activeView ?? views[0] ?? "") } };
  };
  const panels = Object.entries(layout.panels).map(([id, panel]): [string, unknown] => {
    const part = typeof panel === "object" ? panel : {};
    return [rename(id), { ...part, id: rename(id) }];
  });
  return { ...layout, grid: { ...layout.grid, root: node(layout.grid.root) }, panels: Object.fromEntries(panels) };
}
