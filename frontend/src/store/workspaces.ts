import type { GoalCard, PaneInfo, Workspace } from "@/bridge/types";
import { isLive } from "./goalcards";
import type { AppState } from "./state";

/** The tab with the user's panes, as opposed to that of a goal. */
export const ownTab = "panes";

type Places = Pick<AppState, "panes" | "goals" | "workspace" | "paneTab">;
type Drawers = Places & Pick<AppState, "drawer" | "ownDrawer">;

/** The workspace that this window shows. */
export function openWorkspace(s: Pick<AppState, "panes" | "workspace">): Workspace | undefined {
  const { list, active } = s.panes.workspaces;
  return list?.find((w) => w.id === s.workspace) ?? list?.find((w) => w.id === active) ?? list?.[0];
}

/** The panes of a workspace's own tab: those of the user, and those of goals that are shown beside them. */
export function ownPanes(s: Pick<AppState, "panes">, workspace: Workspace | undefined): PaneInfo[] {
  const { panes, workspaces } = s.panes;
  const isFirst = workspace?.id === workspaces.list?.[0]?.id;
  return panes.filter((p) => {
    if (workspace?.panes?.includes(p.id)) return true;
    return isFirst && !isGoals(p) && !workspaces.list?.some((w) => w.panes?.includes(p.id));
  });
}

/** Whether a pane belongs to a goal, as opposed to the user who shares it. */
export function isGoals(pane: PaneInfo): boolean {
  return pane.goal_id !== "" && !pane.shared;
}

/** The panes in the tab of a goal. */
export function panesOfGoal(s: Pick<AppState, "panes">, goal: string): PaneInfo[] {
  const { panes, workspaces } = s.panes;
  const isShown = (id: string) => workspaces.list?.some((w) => w.panes?.includes(id));
  return panes.filter((p) => p.goal_id === goal && isGoals(p) && !isShown(p.id));
}

/** The workspace of a goal: where it was started, else the one with its folder, else the first. */
export function workspaceOf(s: Pick<AppState, "panes" | "goals">, goal: string): Workspace | undefined {
  const list = s.panes.workspaces.list ?? [];
  const started = list.find((w) => w.goals?.includes(goal));
  if (started) return started;
  const dir = s.goals.byId[goal]?.card.dir ?? "";
  const within = list.filter((w) => w.folder !== "" && (dir === w.folder || dir.startsWith(`${w.folder}/`)));
  return within.sort((a, b) => b.folder.length - a.folder.length)[0] ?? list[0];
}

/** The goals with a tab in a workspace, oldest first: those with panes, and those that run or wait for the user. */
export function goalTabsOf(s: Pick<AppState, "panes" | "goals">, workspace: Workspace | undefined): string[] {
  if (!workspace) return [];
  const ids = new Set(s.panes.panes.filter((p) => panesOfGoal(s, p.goal_id).includes(p)).map((p) => p.goal_id));
  for (const { card } of Object.values(s.goals.byId)) if (isOpen(card)) ids.add(card.id);
  const since = (id: string) => s.goals.byId[id]?.card.created_at ?? "";
  return [...ids]
    .filter((id) => workspaceOf(s, id)?.id === workspace.id)
    .sort((a, b) => since(a).localeCompare(since(b)));
}

function isOpen(card: GoalCard): boolean {
  return isLive(card) && card.status !== "paused";
}

/** The tab that this window shows: the user's panes, or the id of a goal. An empty workspace shows its newest goal. */
export function shownTab(s: Places): string {
  const workspace = openWorkspace(s);
  if (s.paneTab === ownTab) return ownTab;
  if (s.paneTab !== "" && goalTabsOf(s, workspace).includes(s.paneTab)) return s.paneTab;
  if (ownPanes(s, workspace).length > 0) return ownTab;
  return goalTabsOf(s, workspace).findLast((id) => panesOfGoal(s, id).length > 0) ?? ownTab;
}

/** The panes of the tab that this window shows. */
export function shownPanes(s: Places): PaneInfo[] {
  const tab = shownTab(s);
  return tab === ownTab ? ownPanes(s, openWorkspace(s)) : panesOfGoal(s, tab);
}

/** Whether the open tab has panes of the user, which must not move when a goal starts. */
export function isOwnTabUsed(s: Places): boolean {
  return shownTab(s) === ownTab && ownPanes(s, openWorkspace(s)).length > 0;
}

export function isDrawerOpen(s: Drawers): boolean {
  return isOwnTabUsed(s) ? s.ownDrawer : s.drawer;
}
