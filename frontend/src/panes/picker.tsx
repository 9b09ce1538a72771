import { useShallow } from "zustand/shallow";
import type { PaneInfo, Workspace } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { paneFolder, paneTitle } from "@/store/panes";
import { goalTabsOf, openWorkspace, ownPanes, panesOfGoal, shownPanes } from "@/store/workspaces";
import { Select } from "@/ui/input";
import { useControl } from "./context";

/** The value of a workspace without panes: a pane's id has no space. */
const emptyValue = (workspace: Workspace) => `workspace ${workspace.id}`;

/** What the picker makes, by the words of its entries. */
const makers: Readonly<Record<string, (app: ReturnType<typeof useApp>) => unknown>> = {
  "New terminal": (app) => app.panes.openTerminal(),
  "New page": (app) => app.panes.openBrowser(),
  "New workspace…": (app) => app.set({ newWorkspace: true }),
};

/** Before the name of a terminal profile, in the value of its entry. */
const profileValue = "profile ";

/** Chooses the pane that a phone shows, in any workspace, or makes one. */
export function PanePicker() {
  const app = useApp();
  const control = useControl();
  const state = useAppState(
    useShallow(({ panes, goals, workspace, paneTab, activePane }) => ({
      panes,
      goals,
      workspace,
      paneTab,
      activePane,
    })),
  );
  const profiles = useAppState((s) => s.terminalProfiles);
  const list = state.panes.workspaces.list ?? [];
  const open = openWorkspace(state);
  const shown = shownPanes(state);
  const active = shown.find((p) => p.id === state.activePane) ?? shown[0];
  const choose = (value: string) => {
    app.workspaces.uncover();
    if (value.startsWith(profileValue)) {
      void app.panes.openTerminal("", "", value.slice(profileValue.length));
      return;
    }
    if (makers[value]) {
      makers[value](app);
      return;
    }
    const empty = list.find((w) => emptyValue(w) === value);
    if (empty) app.workspaces.show(empty.id);
    else control.show(value);
  };
  return (
    <Select
      aria-label="Shown pane"
      data-testid="pane-picker"
      className="min-w-0"
      value={active?.id ?? (open ? emptyValue(open) : "")}
      onChange={(e) => choose(e.target.value)}
    >
      {list.map((workspace) => (
        <optgroup key={workspace.id} label={workspace.name}>
          <Panes panes={panesIn(state, workspace)} empty={emptyValue(workspace)} />
        </optgroup>
      ))}
      {profiles.map((p) => (
        <option key={p.name} value={profileValue + p.name}>
          New terminal: {p.name}
        </option>
      ))}
      {Object.keys(makers).map((words) => (
        <option key={words} value={words}>
          {words}
        </option>
      ))}
    </Select>
  );
}

function Panes({ panes, empty }: { panes: PaneInfo[]; empty: string }) {
  if (panes.length === 0) return <option value={empty}>No panes</option>;
  return panes.map((p) => (
    <option key={p.id} value={p.id}>
      {paneLabel(p)}
    </option>
  ));
}

/** The panes of all tabs of a workspace. */
function panesIn(s: Parameters<typeof goalTabsOf>[0], workspace: Workspace): PaneInfo[] {
  return [...ownPanes(s, workspace), ...goalTabsOf(s, workspace).flatMap((goal) => panesOfGoal(s, goal))];
}

function paneLabel(p: PaneInfo): string {
  const place = p.server || shortPath(paneFolder(p));
  return [paneTitle(p), place, p.goal_id ? "goal" : ""].filter(Boolean).join(" · ");
}
