import { DockviewReact, type DockviewReadyEvent, type DockviewTheme } from "dockview-react";
import { useCallback, useEffect, useState } from "react";
import "dockview-react/dist/styles/dockview.css";
import "./dock.css";
import { usePhone } from "@/ui/usephone";
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

/** The panes. Hidden panes stay alive: zooming or covering never reloads one. */
export function Workspace() {
  const control = useControl();
  const [ready, setReady] = useState<DockviewReadyEvent | null>(null);
  const onReady = useCallback((event: DockviewReadyEvent) => setReady(event), []);

  const isPhone = usePhone();

  useEffect(() => (ready ? control.adopt(ready.api) : undefined), [ready, control]);
  useEffect(() => (ready && isPhone ? keepOnePane(ready.api) : undefined), [ready, isPhone]);

  return (
    <div className="h-full overflow-hidden p-1.5" data-testid="workspace">
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
