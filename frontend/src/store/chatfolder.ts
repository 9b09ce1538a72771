import type { AppState } from "./state";
import { openWorkspace, ownPanes } from "./workspaces";

/** The folder that the shown chat reads: its own, that of the workspace, or of the focused terminal; "" for none. */
export function chatFolder(s: AppState): string {
  const workspace = openWorkspace(s);
  if (s.chat.chat?.dir) return s.chat.chat.dir;
  if (workspace?.folder) return workspace.folder;
  const panes = ownPanes(s, workspace);
  const focused = panes.find((p) => p.id === s.activePane);
  const local = [focused, ...panes].find((p) => p?.kind === "terminal" && !p.server);
  return local?.cwd || local?.dir || "";
}
