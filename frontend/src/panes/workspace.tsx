import { DockviewReact, type DockviewReadyEvent, type DockviewTheme } from "dockview-react";
import { useCallback, useEffect, useRef, useState } from "react";
import "dockview-react/dist/styles/dockview.css";
import "./dock.css";
import { usePhone } from "@/ui/usephone";
import { useAppState } from "@/store/context";
import { openWorkspace, shownTab } from "@/store/workspaces";
import { easeBorders } from "./borderdrag";
import { useControl } from "./context";
import { Empty } from "./empty";
import { keepOnePane } from "./onepane";
import { PanePanel } from "./panel";
import { NewTab, PaneActions, PaneTab } from "./tab";

const theme: DockviewTheme = {
  name: "goalpost",
  className: "dockview-theme-goalpost",
  gap: 6,
  dndTabIndicator: "line",
  tabGroupIndicator: "none",
};

const components = { pane: PanePanel };
const tabs = { pane: PaneTab };

/** The panes of the open tab. Those of other tabs and workspaces are not drawn; their programs continue in Go. */
export function Workspace() {
  const place = useAppState((s) => `${openWorkspace(s)?.id ?? ""}/${shownTab(s)}`);
  return <Dock key={place} />;
}

/** Hidden panes of a tab stay alive: zooming or covering never reloads one. */
function Dock() {
  const control = useControl();
  const workspace = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState<DockviewReadyEvent | null>(null);
  const onReady = useCallback((event: DockviewReadyEvent) => setReady(event), []);

  const isPhone = usePhone();

  useEffect(() => (ready ? control.adopt(ready.api) : undefined), [ready, control]);
  useEffect(() => (workspace.current ? easeBorders(workspace.current) : undefined), []);
  useEffect(() => (ready && isPhone ? keepOnePane(ready.api) : undefined), [ready, isPhone]);

  return (
    <div
      ref={workspace}
      className="h-full overflow-hidden p-1.5"
      data-testid="workspace"
      onPointerDownCapture={() => control.keepPanes()}
      onKeyDownCapture={() => control.keepPanes()}
    >
      <DockviewReact
        components={components}
        tabComponents={tabs}
        leftHeaderActionsComponent={NewTab}
        rightHeaderActionsComponent={PaneActions}
        watermarkComponent={Empty}
        defaultRenderer="always"
        singleTabMode="fullwidth"
        disableFloatingGroups
        theme={theme}
        onReady={onReady}
      />
    </div>
  );
}
