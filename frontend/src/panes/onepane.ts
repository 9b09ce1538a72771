import type { DockviewApi } from "dockview-react";

/** Shows only the pane that has the focus, on all of the space. The returned function shows all panes again. */
export function keepOnePane(dock: DockviewApi): () => void {
  let waiting = false;
  const show = () => {
    waiting = false;
    const panel = dock.activePanel ?? dock.panels[0];
    if (!panel || panel.group.api.isMaximized()) return;
    if (dock.hasMaximizedGroup()) dock.exitMaximizedGroup();
    dock.maximizeGroup(panel);
  };
  // dockview reports a change before it has finished it.
  const soon = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(show);
  };
  const watching = [dock.onDidActivePanelChange(soon), dock.onDidLayoutFromJSON(soon), dock.onDidAddPanel(soon)];
  soon();
  return () => {
    for (const w of watching) w.dispose();
    if (dock.hasMaximizedGroup()) dock.exitMaximizedGroup();
  };
}
