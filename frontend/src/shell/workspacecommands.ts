import { action, type Action } from "@/lib/actions";
import type { App } from "@/store/app";
import { isGoals, ownTab, shownTab } from "@/store/workspaces";
import { exportWorkspace, importWorkspace } from "./workspacefile";

/** Workspaces and their tabs. */
export function workspaceActions(app: App): Action[] {
  const several = () => (app.state.panes.workspaces.list?.length ?? 0) > 1;
  const open = () => app.workspaces.open?.id ?? "";
  return [
    action({
      id: "workspace.new",
      title: "New workspace",
      group: "Workspaces",
      run: () => app.set({ newWorkspace: true }),
    }),
    action({
      id: "workspace.next",
      title: "Next workspace",
      group: "Workspaces",
      keys: ["Ctrl+PageDown"],
      enabled: several,
      run: () => app.workspaces.step(1),
    }),
    action({
      id: "workspace.previous",
      title: "Previous workspace",
      group: "Workspaces",
      keys: ["Ctrl+PageUp"],
      enabled: several,
      run: () => app.workspaces.step(-1),
    }),
    ...Array.from({ length: 9 }, (_, n) =>
      action({
        id: `workspace.${n + 1}`,
        title: `Workspace ${n + 1}`,
        group: "Workspaces",
        keys: [`Ctrl+Shift+Digit${n + 1}`],
        enabled: () => (app.state.panes.workspaces.list?.length ?? 0) > n,
        run: () => app.workspaces.showNth(n),
      }),
    ),
    action({
      id: "workspace.left",
      title: "Move the workspace left",
      group: "Workspaces",
      enabled: several,
      run: () => app.workspaces.move(open(), -1),
    }),
    action({
      id: "workspace.right",
      title: "Move the workspace right",
      group: "Workspaces",
      enabled: several,
      run: () => app.workspaces.move(open(), 1),
    }),
    action({
      id: "workspace.export",
      title: "Export the workspace…",
      group: "Workspaces",
      run: () => {
        const one = app.workspaces.open;
        if (one) void exportWorkspace(app, one);
      },
    }),
    action({
      id: "workspace.import",
      title: "Import a workspace…",
      group: "Workspaces",
      run: () => importWorkspace(app),
    }),
    action({
      id: "workspace.close",
      title: "Close the workspace",
      group: "Workspaces",
      enabled: several,
      run: () => void app.workspaces.close(open()),
    }),
    action({
      id: "tab.next",
      title: "Next tab: my panes, or a goal",
      group: "Workspaces",
      keys: ["Ctrl+Shift+PageDown"],
      run: () => app.workspaces.stepTab(1),
    }),
    action({
      id: "tab.previous",
      title: "Previous tab: my panes, or a goal",
      group: "Workspaces",
      keys: ["Ctrl+Shift+PageUp"],
      run: () => app.workspaces.stepTab(-1),
    }),
    action({
      id: "pane.beside",
      title: "Show the goal's pane beside my panes, or put it back",
      group: "Workspaces",
      keys: ["Ctrl+Shift+KeyL"],
      enabled: () => app.state.panes.panes.some((p) => p.id === app.state.activePane && isGoals(p)),
      run: () => app.workspaces.showBeside(app.state.activePane, shownTab(app.state) !== ownTab),
    }),
  ];
}
