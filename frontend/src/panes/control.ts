import { boundLabel } from "@/lib/bindings";
import type { AddPanelPositionOptions, DockviewApi, DockviewGroupPanel, IDockviewPanel } from "dockview-react";
import { createStore } from "zustand/vanilla";
import type { Attachment, Check, PaneInfo } from "@/bridge/types";
import type { Block, FailedCommand } from "@/features/terminal/promptmarks";
import { writeClipboard } from "@/bridge/clipboard";
import { FrameTurns } from "@/features/terminal/flowcontrol";
import type { TerminalScreen } from "@/features/terminal/xterm";
import { clip, oneLine, stripControl } from "@/lib/text";
import { isPhone } from "@/lib/viewer";
import type { App } from "@/store/app";
import { attachment } from "@/store/chatactions";
import { chatFolder } from "@/store/chatfolder";
import { paneFolder, paneTitle } from "@/store/panes";
import { ownTab, shownPanes, shownTab } from "@/store/workspaces";
import { dropTargetFor, ownLayout, restorableLayout, saveOwnLayout, splitSide, type DropTarget } from "./layout";

interface ControlState {
  /** The terminal with the open search box, and the pane whose title is being edited; `""` for none. */
  searching: string;
  renaming: string;
  zoomed: boolean;
  /** Terminals in the broadcast: typing into one reaches all of them. */
  broadcast: ReadonlySet<string>;
  /** The newest command that failed, by terminal. */
  failed: Readonly<Record<string, string>>;
  /** The command that a terminal's menu is about: the one that the user pointed at or jumped to, or the newest. */
  block: Readonly<Record<string, Block | null>>;
  /** Terminals whose programs do not get the mouse. */
  mouseOff: ReadonlySet<string>;
}

const saveAfterMs = 150;
/** The most characters of a selection that are attached to a chat. */
const maxSelection = 60_000;

/** Actions on the workspace's panes. It keeps dockview in step with the panes that Go reports. */
export class WorkspaceControl {
  readonly store = createStore<ControlState>(() => ({
    searching: "",
    renaming: "",
    zoomed: false,
    broadcast: new Set(),
    failed: {},
    block: {},
    mouseOff: new Set(),
  }));
  readonly screens = new Map<string, TerminalScreen>();
  /** Decides which pane's flood is written next. */
  readonly turns = new FrameTurns();
  /** The newest selection in a terminal, for the middle button. */
  readonly selection = { text: "" };
  private dock: DockviewApi | null = null;
  private restored = false;
  private timer = 0;
  /** Position of the pane that the user has just requested. */
  private wanted: { group: string; side: "right" | "below" | "within" } | null = null;
  /** The pane that the user has chosen, until the dockview of its tab is ready. */
  private chosen = "";
  /** The workspace whose layout the dockview has, "" for the tab of a goal. */
  private workspace = "";

  constructor(private readonly app: App) {}

  /**
   * Attaches to a dockview that is ready and shows the tab that is open now; the returned function detaches.
   * Each tab has its own dockview, and only the open one is drawn.
   */
  adopt(dock: DockviewApi): () => void {
    this.dock = dock;
    this.restored = false;
    let gone = false;
    const tab = shownTab(this.app.state);
    this.workspace = tab === ownTab ? (this.app.workspaces.open?.id ?? "") : "";
    const unsubscribe = this.app.store.subscribe((s, old) => {
      if (s.panes !== old.panes) this.reconcile();
      if (s.panes.shown && s.panes.shown !== old.panes.shown) this.bring(s.panes.shown.id);
    });
    const watching = [
      dock.onDidLayoutChange(() => {
        if (this.restored) this.orderTabs(dock);
        this.saveSoon();
      }),
      dock.onDidActivePanelChange(() => this.app.set({ activePane: dock.activePanel?.id ?? "" })),
      dock.onDidMaximizedGroupChange(() => this.store.setState({ zoomed: dock.hasMaximizedGroup() })),
    ];
    const leaving = () => {
      if (this.timer) this.save();
    };
    window.addEventListener("pagehide", leaving);
    void this.restore(dock).then(() => {
      if (gone) return;
      this.reconcile();
      const { shown } = this.app.state.panes;
      if (shown) this.bring(shown.id);
      if (this.chosen) dock.getPanel(this.chosen)?.api.setActive();
      this.chosen = "";
    });
    return () => {
      gone = true;
      leaving();
      window.removeEventListener("pagehide", leaving);
      unsubscribe();
      for (const w of watching) w.dispose();
      window.clearTimeout(this.timer);
      this.timer = 0;
      this.dock = null;
    };
  }

  get activePane(): PaneInfo | undefined {
    const id = this.dock?.activePanel?.id;
    return this.app.state.panes.panes.find((p) => p.id === id);
  }

  /** Shows a pane, and first the tab that it is in. Nothing covers it then on a phone. */
  show(id: string): void {
    if (isPhone()) this.app.workspaces.uncover();
    const panel = this.dock?.getPanel(id);
    if (panel) {
      panel.api.setActive();
      return;
    }
    this.chosen = id;
    this.app.workspaces.reveal(id);
  }

  /** Brings a pane to the front of its tabs without moving the focus. */
  private bring(id: string): void {
    const panel = this.dock?.getPanel(id);
    panel?.group.model.openPanel(panel, { skipSetGroupActive: true });
  }

  /** Whether a pane of a goal is beside the user's panes. */
  isBeside(id: string): boolean {
    return this.app.state.panes.workspaces.list?.some((w) => w.panes?.includes(id)) ?? false;
  }

  toggleBeside(id: string): void {
    void this.app.workspaces.showBeside(id, !this.isBeside(id));
  }

  /** The user acts in the open tab: if it is that of a goal that has ended, its panes stay. */
  keepPanes(): void {
    const tab = shownTab(this.app.state);
    if (this.app.state.panes.workspaces.closing?.[tab]) this.app.workspaces.keep(tab);
  }

  /** Shows the panes of a goal: its tab, or those of the user that it uses. */
  showGoal(goal: string): void {
    const panes = this.app.state.panes.panes.filter((p) => p.goal_id === goal);
    this.app.go("workspace");
    if (panes[0]) this.app.workspaces.reveal(panes[0].id);
    for (const pane of [...panes].reverse()) this.show(pane.id);
  }

  closeActive(): void {
    const pane = this.activePane;
    if (pane) this.close(pane.id);
  }

  /** Closes a pane; asks first when a goal or a command uses it. */
  close(id: string): void {
    const prompts = this.screens.get(id)?.prompts;
    this.app.panes.close(id, prompts?.hasCommand ? { command: prompts.command } : null);
  }

  /** Keeps the tab of a page first and narrow, or releases it. */
  pin(id: string, on: boolean): void {
    void this.app.ask("BrowserAPI.Pin", id, on);
  }

  /** Starts the program of a terminal again, or connects it again; asks first if a command runs. */
  restart(id: string): void {
    this.whenIdle(id, "Restart the terminal?", "End it and restart", async () => {
      const info = await this.app.ask("TerminalAPI.Restart", id);
      if (!info) return;
      this.app.panes.update(info);
      const screen = this.screens.get(id);
      screen?.restart();
      screen?.term.focus();
    });
  }

  /** Ends the program of a terminal. The pane stays, with its output. */
  end(id: string): void {
    this.whenIdle(id, "End the terminal’s program?", "End it", async () => {
      await this.app.ask("TerminalAPI.End", id);
    });
  }

  private whenIdle(id: string, title: string, yes: string, run: () => Promise<void>): void {
    const prompts = this.screens.get(id)?.prompts;
    if (!prompts?.hasCommand || !this.app.state.panes.panes.find((p) => p.id === id)?.running) {
      void run();
      return;
    }
    const what = prompts.command ? `“${stripControl(clip(oneLine(prompts.command), 60))}”` : "A command";
    this.app.confirm({
      title,
      text: `${what} is running. It ends, and this cannot be undone.`,
      yes,
      danger: true,
      run,
    });
  }

  /** Keeps the mouse from the program of a terminal, or gives it back. */
  toggleMouse(id: string): void {
    const screen = this.screens.get(id);
    if (!screen) return;
    screen.mouse.off = !screen.mouse.off;
    const mouseOff = new Set(this.store.getState().mouseOff);
    if (!mouseOff.delete(id)) mouseOff.add(id);
    this.store.setState({ mouseOff });
  }

  /** Opens the file of a pane in the user's editor, in a terminal. */
  openEditor(pane: PaneInfo): void {
    void this.app.panes.editLine(pane.path, 0);
  }

  /** Shows the folder of a file or a terminal on the desktop. */
  showFolder(pane: string): void {
    void this.app.ask("FileAPI.ShowFolder", pane);
  }

  /** The label of a command's key: the user's, or else the default. */
  keyLabel(id: string, otherwise: string): string {
    return boundLabel(this.app.state.settings?.keys, id, otherwise);
  }

  /** Opens the settings of terminals. */
  showSettings(): void {
    this.app.openSettings("Terminal font size");
  }

  /**
   * Opens another pane of the same kind (beside a file a terminal in its folder) beside the given or the active one, along its longer side unless a
   * side is given.
   */
  async split(id?: string, side?: "right" | "below"): Promise<void> {
    const panel = id ? this.dock?.getPanel(id) : this.dock?.activePanel;
    const pane = panel && this.app.state.panes.panes.find((p) => p.id === panel.id);
    if (!panel || !pane) return;
    this.wanted = { group: panel.group.id, side: side ?? splitSide(panel.group.width, panel.group.height) };
    const opened = await (pane.kind === "browser"
      ? this.app.panes.openBrowser(pane.url)
      : this.app.panes.openTerminal(paneFolder(pane)));
    if (!opened) this.wanted = null;
  }

  /** Opens another pane of the same kind as a tab beside the given one. */
  async openTab(id: string): Promise<void> {
    const panel = this.dock?.getPanel(id);
    const pane = this.app.state.panes.panes.find((p) => p.id === id);
    if (!panel || !pane) return;
    this.wanted = { group: panel.group.id, side: "within" };
    const opened = await (pane.kind === "browser"
      ? this.app.panes.openBrowser("", pane.goal_id ? "" : pane.profile || "temporary")
      : this.app.panes.openTerminal(paneFolder(pane)));
    if (!opened) this.wanted = null;
  }

  /** Opens the page that was closed last as a tab beside the active pane. In a page, a terminal if none was closed. */
  async reopen(): Promise<void> {
    const group = this.dock?.activeGroup?.id;
    const inPage = this.activePane?.kind === "browser";
    this.wanted = group ? { group, side: "within" } : null;
    if (await this.app.panes.reopenPage()) return;
    this.wanted = null;
    if (inPage) await this.app.panes.openTerminal();
    else this.app.notices.done("No page was closed");
  }

  /** Whether there is a next (1) or previous (-1) tab. After the last one comes the first; before the first, none. */
  hasTab(step: 1 | -1): boolean {
    const group = this.dock?.activeGroup;
    if (!group?.activePanel || group.panels.length < 2) return false;
    return step > 0 || group.panels.indexOf(group.activePanel) > 0;
  }

  /** Shows the next or previous tab of the active group. */
  goTab(step: 1 | -1): void {
    const group = this.dock?.activeGroup;
    if (!group?.activePanel || !this.hasTab(step)) return;
    const at = group.panels.indexOf(group.activePanel);
    group.panels[(at + step) % group.panels.length]?.api.setActive();
  }

  zoom(id?: string): void {
    const dock = this.dock;
    const panel = id ? dock?.getPanel(id) : dock?.activePanel;
    if (!dock || !panel) return;
    if (dock.hasMaximizedGroup()) dock.exitMaximizedGroup();
    else dock.maximizeGroup(panel);
  }

  focus(side: "left" | "right" | "up" | "down"): void {
    const dock = this.dock;
    if (!dock?.activeGroup) return;
    const next = dock.adjacentGroupInDirection(dock.activeGroup, side);
    next?.activePanel?.api.setActive();
  }

  /** Focuses the tab of the active pane. */
  leave(id: string): void {
    const tab = document.querySelector(`.pane-tab[data-pane="${CSS.escape(id)}"]`);
    tab?.closest<HTMLElement>(".dv-tab")?.focus();
  }

  search(id: string): void {
    this.show(id);
    this.store.setState({ searching: id });
  }

  rename(id: string): void {
    this.store.setState({ renaming: id });
  }

  noteFailed(id: string, command: string): void {
    this.store.setState((s) => ({ failed: { ...s.failed, [id]: command } }));
  }

  noteBlock(id: string, block: Block | null): void {
    this.store.setState((s) => ({ block: { ...s.block, [id]: block } }));
  }

  /** Copies the command that the menu of a terminal is about, or its output. */
  async copyBlock(id: string, what: "command" | "output"): Promise<void> {
    const prompts = this.screens.get(id)?.prompts;
    const text = what === "command" ? prompts?.block?.command : prompts?.output();
    if (text) await writeClipboard(text);
  }

  selectOutput(id: string): void {
    const screen = this.screens.get(id);
    screen?.prompts.selectOutput();
    screen?.term.focus();
  }

  /** Types the command again, for the user to run. */
  typeAgain(id: string): void {
    const screen = this.screens.get(id);
    const command = screen?.prompts.block?.command;
    if (screen && command) screen.offer(command);
  }

  /** Opens the chat with a command and the end of its output attached. */
  askBlock(id: string): void {
    const prompts = this.screens.get(id)?.prompts;
    if (!prompts?.block) return;
    const { command, exit } = prompts.block;
    const ended = exit === null ? "" : `\n(exit ${exit})`;
    const text = `$ ${command}\n${prompts.output().slice(-maxSelection)}${ended}`;
    this.app.chat.ask(attachment({ kind: "command", title: command, pane: id, text }));
  }

  /** Opens New goal with the failed command of a terminal as the check, its folder, and its output attached. */
  makePass(id: string): void {
    const failed = this.screens.get(id)?.prompts.failed;
    const pane = this.app.state.panes.panes.find((p) => p.id === id);
    if (!failed || !pane) return;
    this.app.newGoal({
      objective: `\`${failed.command}\` passes${pane.server ? ` on ${pane.server}` : ""}`,
      checks: [checkOf(failed, pane.server)],
      // The folders of a server are not those of this computer.
      ...(pane.server ? {} : { dir: failed.dir || pane.cwd || pane.dir }),
      attached: `$ ${failed.command}\n${failed.output}\n(exit ${failed.exit})`,
    });
  }

  /** Opens the chat with a pane attached, or with what is selected in it. */
  ask(id: string): void {
    const pane = this.app.state.panes.panes.find((p) => p.id === id);
    if (!pane) return;
    const title = paneTitle(pane);
    if (pane.kind === "file") {
      this.app.chat.ask(this.fileAttachment(pane));
      return;
    }
    const text = this.screens.get(id)?.term.getSelection() ?? "";
    this.app.chat.ask(
      text.trim() === ""
        ? attachment({ kind: "pane", title, pane: id })
        : attachment({
            kind: "selection",
            title: `Selection in ${title}`,
            pane: id,
            text: text.slice(0, maxSelection),
          }),
    );
  }

  hasSelection(id: string): boolean {
    return Boolean(this.screens.get(id)?.term.hasSelection() ?? this.app.panes.files.get(id)?.selected);
  }

  /** The selection in a file, what the user wrote and did not save, or else the file as it is on the disk then. */
  private fileAttachment({ id, path }: PaneInfo): Attachment {
    const file = this.app.panes.files.get(id);
    const dir = `${chatFolder(this.app.state)}/`;
    const name = path.startsWith(dir) ? path.slice(dir.length) : path;
    const attach = (title: string, text: string) =>
      attachment({ kind: "selection", title, text: text.slice(0, maxSelection) });
    if (file?.selected) {
      const { text, from, to } = file.selected;
      return attach(`${from === to ? `Line ${from}` : `Lines ${from} to ${to}`} of ${name}`, text);
    }
    if (file?.isChanged) return attach(`${name}, not saved`, file.text);
    return attachment({ kind: "file", title: name, path });
  }

  /** Attaches the focused pane to the first message of a new chat. */
  attachFocused(): void {
    const pane = this.activePane;
    const { chat, chatDraft, route } = this.app.state;
    if (!pane || route !== "workspace" || chat.messages.length > 0 || chatDraft.attachments.length > 0) return;
    if (pane.kind === "file") {
      this.app.chat.attach(this.fileAttachment(pane));
      return;
    }
    if (pane.kind === "browser" && !/^(?:https?|file):/.test(pane.url)) return;
    this.app.chat.attach(attachment({ kind: "pane", title: paneTitle(pane), pane: pane.id }));
  }

  /** Asks what a page should show, for New goal. */
  makeShow(id: string): void {
    const pane = this.app.state.panes.panes.find((p) => p.id === id);
    if (pane) this.app.set({ pageGoal: pane.url });
  }

  /** Only the user's own terminals take part, not those of a goal. */
  canBroadcast(pane: PaneInfo | undefined): boolean {
    return pane?.kind === "terminal" && pane.goal_id === "";
  }

  broadcast(id: string): void {
    const on = new Set(this.store.getState().broadcast);
    if (!on.delete(id)) on.add(id);
    this.store.setState({ broadcast: on });
  }

  /** Broadcasts to all visible terminals; ends the broadcast if all of them are in it. */
  broadcastAll(): void {
    const { broadcast } = this.store.getState();
    const ids = this.app.state.panes.panes
      .filter((p) => this.canBroadcast(p) && this.dock?.getPanel(p.id)?.api.isVisible)
      .map((p) => p.id);
    const isOn = ids.length === broadcast.size && ids.every((id) => broadcast.has(id));
    this.store.setState({ broadcast: new Set(isOn ? [] : ids) });
  }

  broadcastOff(): void {
    this.store.setState({ broadcast: new Set() });
  }

  /** Sends input of one terminal of the broadcast to the others. */
  typed(id: string, data: string): void {
    const { broadcast } = this.store.getState();
    if (!broadcast.has(id)) return;
    for (const other of broadcast) if (other !== id) this.screens.get(other)?.type(data);
  }

  /** Scrolls the active terminal to the previous (-1) or next (1) command. */
  prompt(step: -1 | 1): void {
    this.screens.get(this.activePane?.id ?? "")?.prompts.go(step);
  }

  private async restore(dock: DockviewApi): Promise<void> {
    await this.panesLoaded();
    let json = "";
    try {
      if (this.workspace) json = await this.app.bridge.call("WorkspaceAPI.Layout", this.workspace);
    } catch {
      // Without a saved layout, the panes are placed automatically.
    }
    if (this.dock !== dock) return;
    const ids = new Set(shownPanes(this.app.state).map((p) => p.id));
    const exists = (id: string) => ids.has(id);
    // Go stores the layout of the window that changed last. A reloaded page has its own.
    const layout = restorableLayout(ownLayout(this.workspace), exists) ?? restorableLayout(json, exists);
    if (layout && this.workspace) {
      try {
        dock.fromJSON(layout as never);
      } catch {
        dock.clear();
      }
    }
    this.restored = true;
  }

  private panesLoaded(): Promise<void> {
    if (this.app.state.panes.loaded) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.app.store.subscribe((s) => {
        if (!s.panes.loaded) return;
        stop();
        resolve();
      });
    });
  }

  private reconcile() {
    const dock = this.dock;
    if (!dock || !this.restored) return;
    const panes = shownPanes(this.app.state);
    const ids = new Set(panes.map((p) => p.id));
    const taking = [...this.store.getState().broadcast];
    const left = taking.filter((id) => this.canBroadcast(panes.find((p) => p.id === id)));
    // A single terminal cannot broadcast.
    if (left.length < taking.length) this.store.setState({ broadcast: new Set(left.length > 1 ? left : []) });
    for (const panel of [...dock.panels]) if (!ids.has(panel.id)) dock.removePanel(panel);
    for (const pane of panes) {
      const panel = dock.getPanel(pane.id);
      if (!panel) this.add(dock, pane);
      else if (panel.title !== pane.title) panel.setTitle(pane.title);
    }
    this.orderTabs(dock);
  }

  /** Moves pinned tabs before the others of their group. */
  private orderTabs(dock: DockviewApi) {
    const pinned = new Set(this.app.state.panes.panes.filter((p) => p.pinned).map((p) => p.id));
    for (const group of dock.groups) {
      const first = group.panels.filter((p) => pinned.has(p.id));
      if (first.every((panel, index) => group.panels[index] === panel)) continue;
      const front = group.activePanel;
      for (const [index, panel] of first.entries()) panel.api.moveTo({ group, index, skipSetActive: true });
      // dockview shows another tab when it moves the one in front.
      if (front) group.model.openPanel(front, { skipSetGroupActive: true });
    }
  }

  private add(dock: DockviewApi, pane: PaneInfo) {
    const position = this.position(dock, pane);
    const panel: IDockviewPanel = dock.addPanel({
      id: pane.id,
      component: "pane",
      tabComponent: "pane",
      title: pane.title,
      // A goal's pane appears without taking the user's focus.
      inactive: pane.goal_id !== "" && dock.totalPanels > 0,
      ...(position ? { position } : {}),
    });
    if (panel.group.panels.length === 1) panel.group.activePanel?.api.setActive();
  }

  private position(dock: DockviewApi, pane: PaneInfo): AddPanelPositionOptions | undefined {
    const inspected = pane.inspects ? dock.getPanel(pane.inspects) : undefined;
    if (inspected) return { referenceGroup: inspected.group.id, direction: "below" };
    if (!pane.goal_id && this.wanted) {
      const { group, side } = this.wanted;
      this.wanted = null;
      const reference = dock.getGroup(group);
      if (reference) return { referenceGroup: reference.id, direction: side };
    }
    return this.resolved(dock, this.place(dock, pane));
  }

  private place(dock: DockviewApi, pane: PaneInfo): DropTarget {
    const byId = new Map(this.app.state.panes.panes.map((p) => [p.id, p]));
    const sketch = (g: DockviewGroupPanel) => ({
      id: g.id,
      panes: g.panels.map((p) => byId.get(p.id)).filter((p) => p !== undefined),
    });
    return dropTargetFor(pane, dock.groups.map(sketch), dock.activeGroup?.id ?? "");
  }

  private resolved(dock: DockviewApi, place: DropTarget): AddPanelPositionOptions | undefined {
    if (place.at === "alone") return undefined;
    if (place.at === "edge") return { direction: place.side };
    const group = dock.getGroup(place.group);
    return group ? { referenceGroup: group.id, direction: place.at } : undefined;
  }

  /** Saves shortly after the first of several changes, so that a reload or a kill loses almost nothing. */
  private saveSoon() {
    if (!this.restored || this.timer || !this.workspace) return;
    this.timer = window.setTimeout(() => this.save(), saveAfterMs);
  }

  private save() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    const dock = this.dock;
    if (!dock || dock.hasMaximizedGroup()) return;
    const json = JSON.stringify(dock.toJSON());
    saveOwnLayout(this.workspace, json);
    void this.app.ask("WorkspaceAPI.SaveLayout", this.workspace, json);
  }
}

/** The check that a failed command passes, in the folder in which it failed if that is on a server. */
function checkOf({ command, dir }: FailedCommand, server: string): Check {
  if (!server) return { type: "shell", command };
  const there = dir ? `cd '${dir.replaceAll("'", "'\\''")}' && ` : "";
  return { type: "shell", command: there + command, where: `ssh:${server}` };
}
