import type { PaneInfo } from "@/bridge/types";
import { writeClipboard } from "@/bridge/clipboard";
import type { Block } from "@/features/terminal/promptmarks";
import { clip, oneLine } from "@/lib/text";
import { isGoals } from "@/store/workspaces";
import type { MenuItem } from "@/ui/menu";
import type { MenuFacts } from "./context";
import type { WorkspaceControl } from "./control";

/** The menu of a pane, opened beside its tab or by a right click in a terminal. */
export function paneMenu(
  pane: PaneInfo,
  control: WorkspaceControl,
  { failed, block, mouseOff }: MenuFacts,
): MenuItem[] {
  const beside: MenuItem[] = isGoals(pane)
    ? [
        {
          id: "beside",
          label: control.isBeside(pane.id) ? "Put back into the goal’s tab" : "Show beside my panes",
          hint: control.keyLabel("pane.beside", "Ctrl+Shift+L"),
          run: () => control.toggleBeside(pane.id),
        },
        null,
      ]
    : [];
  const layout: MenuItem[] = [
    ...beside,
    {
      id: "split-right",
      label: "Split right",
      takesFocus: true,
      run: () => void control.split(pane.id, "right"),
    },
    { id: "split-down", label: "Split down", takesFocus: true, run: () => void control.split(pane.id, "below") },
    {
      id: "zoom",
      label: "Zoom",
      hint: control.keyLabel("pane.zoom", "Ctrl+Shift+Enter"),
      run: () => control.zoom(pane.id),
    },
    null,
    {
      id: "close",
      label: "Close",
      hint: control.keyLabel("pane.close", "Ctrl+Shift+W"),
      danger: true,
      run: () => control.close(pane.id),
    },
  ];
  if (pane.kind === "browser") {
    const isPage = /^(?:https?|file):/.test(pane.url);
    return [
      { id: "ask", label: "Ask about this page", takesFocus: true, disabled: !isPage, run: () => control.ask(pane.id) },
      {
        id: "make-show",
        label: "Make this page show…",
        takesFocus: true,
        disabled: !isPage,
        run: () => control.makeShow(pane.id),
      },
      null,
      ...pinItem(pane, control),
      ...layout,
    ];
  }
  if (pane.kind === "file") {
    const label = control.hasSelection(pane.id) ? "Ask about the selection" : "Ask about this file";
    return [
      { id: "ask", label, takesFocus: true, run: () => control.ask(pane.id) },
      null,
      { id: "editor", label: "Open in $EDITOR", takesFocus: true, run: () => control.openEditor(pane) },
      { id: "folder", label: "Show in its folder", run: () => control.showFolder(pane.id) },
      { id: "copy-path", label: "Copy the path", run: () => void writeClipboard(pane.path) },
      null,
      ...layout,
    ];
  }
  const screen = () => control.screens.get(pane.id);
  return [
    {
      id: "ask",
      label: control.hasSelection(pane.id) ? "Ask about the selection" : "Ask about this",
      takesFocus: true,
      run: () => control.ask(pane.id),
    },
    {
      id: "make-pass",
      label: failed ? `Make “${clip(oneLine(failed), 28)}” pass…` : "Make the failed command pass…",
      hint: control.keyLabel("goal.make-pass", "Ctrl+Shift+M"),
      takesFocus: true,
      disabled: failed === "",
      run: () => control.makePass(pane.id),
    },
    null,
    ...blockItems(pane, control, block),
    { id: "copy", label: "Copy", hint: "Ctrl+Shift+C", run: () => void screen()?.copy() },
    { id: "paste", label: "Paste", hint: "Ctrl+Shift+V", takesFocus: true, run: () => void screen()?.paste() },
    {
      id: "search",
      label: "Search…",
      hint: control.keyLabel("pane.search", "Ctrl+Shift+F"),
      takesFocus: true,
      run: () => control.search(pane.id),
    },
    { id: "clear", label: "Clear scrollback", run: () => screen()?.term.clear() },
    {
      id: "broadcast",
      label: "Broadcast",
      hint: control.keyLabel("broadcast", "Ctrl+Shift+Space, M"),
      disabled: !control.canBroadcast(pane),
      run: () => control.broadcast(pane.id),
    },
    {
      id: "folder",
      label: "Show its folder",
      disabled: pane.server !== "",
      run: () => control.showFolder(pane.id),
    },
    {
      id: "rename",
      label: "Rename…",
      hint: control.keyLabel("pane.rename", "Ctrl+Shift+Space, R"),
      takesFocus: true,
      run: () => control.rename(pane.id),
    },
    {
      id: "mouse",
      label: mouseOff ? "Let the program use the mouse" : "Keep the mouse from the program",
      run: () => control.toggleMouse(pane.id),
    },
    { id: "terminal-settings", label: "Settings…", takesFocus: true, run: () => control.showSettings() },
    null,
    ...programItems(pane, control),
    ...layout,
  ];
}

/** Only a page of the user that is saved can be pinned. */
function pinItem(pane: PaneInfo, control: WorkspaceControl): MenuItem[] {
  if (pane.goal_id || !pane.profile || pane.inspects) return [];
  const run = () => control.pin(pane.id, !pane.pinned);
  return [{ id: "pin", label: pane.pinned ? "Unpin the tab" : "Pin the tab", run }];
}

/** What can be done with a command and its output, where the shell reports them. */
function blockItems(pane: PaneInfo, control: WorkspaceControl, block: Block | null): MenuItem[] {
  if (!block) return [];
  const { id } = pane;
  return [
    {
      id: "ask-command",
      label: `Ask about “${clip(oneLine(block.command), 28)}”`,
      takesFocus: true,
      run: () => control.askBlock(id),
    },
    { id: "select-output", label: "Select its output", takesFocus: true, run: () => control.selectOutput(id) },
    { id: "copy-output", label: "Copy its output", run: () => void control.copyBlock(id, "output") },
    { id: "copy-command", label: "Copy the command", run: () => void control.copyBlock(id, "command") },
    {
      id: "type-again",
      label: "Type it again",
      takesFocus: true,
      disabled: !pane.running,
      run: () => control.typeAgain(id),
    },
    null,
  ];
}

/** Restart and end of the program of a terminal of the user. A connection ends with its pane. */
function programItems(pane: PaneInfo, control: WorkspaceControl): MenuItem[] {
  if (pane.goal_id) return [];
  const restart = { id: "restart", label: pane.server ? "Connect again" : "Restart", takesFocus: true };
  const items: MenuItem[] = [{ ...restart, run: () => control.restart(pane.id) }];
  if (!pane.server) {
    const run = () => control.end(pane.id);
    items.push({ id: "end", label: "End the program", takesFocus: true, disabled: !pane.running, run });
  }
  return [...items, null];
}
