import { asProblem } from "@/bridge/problem";
import type { PagePoint, PaneInfo, Problem, Workspace } from "@/bridge/types";
import { clip, oneLine, stripControl } from "@/lib/text";
import { isPhone } from "@/lib/viewer";
import type { AppCore } from "./core";
import { isLive } from "./goalcards";
import { withPane, withPaneInfo } from "./panes";
import type { WorkspaceActions } from "./workspaceactions";
import { ownPanes, ownTab } from "./workspaces";

/** The size of a new page until its viewer says how much space it has: a phone never does. */
function pageSize(): { width: number; height: number } {
  return isPhone() ? { width: window.innerWidth, height: window.innerHeight } : { width: 1024, height: 768 };
}

const closeCalls = { terminal: "TerminalAPI.Close", browser: "BrowserAPI.Close", file: "FileAPI.Close" } as const;

/** A file in a pane that is drawn. */
interface DrawnFile {
  /** The user changed the text and did not save it. */
  readonly isChanged: boolean;
  readonly text: string;
  /** The selected text and its lines, counted from 1; null if nothing is selected. */
  readonly selected: { text: string; from: number; to: number } | null;
}

/** Actions on panes. */
export class PaneActions {
  /** The files that are drawn, by pane. */
  readonly files = new Map<string, DrawnFile>();

  constructor(
    private readonly core: AppCore,
    private readonly workspaces: WorkspaceActions,
  ) {}

  /**
   * Opens a terminal in a folder, by default that of its profile, of the focused terminal or of the workspace. A command
   * is typed at its prompt; the user runs it. Without a name of a profile, it has the default one.
   */
  async openTerminal(dir = "", command = "", profile = ""): Promise<PaneInfo | undefined> {
    const focused = ownPanes(this.core.state, this.workspaces.open).find((p) => p.id === this.core.state.activePane);
    const near = focused && !focused.server ? focused.cwd || focused.dir : "";
    const workspace = await this.enter();
    const used = this.core.state.terminalProfiles.find((p) => (profile ? p.name === profile : p.default));
    const where = dir || (used?.dir ? "" : near || workspace?.folder || "");
    return this.opened(await this.core.ask("TerminalAPI.Open", { dir: where, cols: 80, rows: 24, command, profile }));
  }

  /** Shows the user's panes, where a new pane will be. */
  private async enter(): Promise<Workspace | undefined> {
    this.core.set({ route: "workspace", paneTab: ownTab });
    return this.workspaces.activate();
  }

  /** Shows the changes of a file of a goal, or the file itself if it has none. */
  async showChanges(goal: string, path: string): Promise<void> {
    const changes = await this.core.ask("ChangesAPI.List", goal, []);
    if (changes?.files?.some((f) => f.path === path)) this.core.openChanges(goal, path);
    else await this.openGoalFile(goal, path);
  }

  /** Shows a text file in a pane, at a line if it is not 0. A relative path begins in the folder. */
  async openFile(path: string, line = 0, dir = ""): Promise<void> {
    await this.showFile(await this.core.ask("FileAPI.Open", { path, dir }), line);
  }

  /** Shows a text file of a goal's folder in a pane of the user, at a line if it is not 0. */
  async openGoalFile(goal: string, path: string, line = 0): Promise<void> {
    await this.showFile(await this.core.ask("ChangesAPI.Show", goal, path), line);
  }

  /** Shows settings.json in a pane, at a line if it is not 0. */
  async openSettingsFile(line = 0): Promise<void> {
    await this.showFile(await this.core.ask("SettingsAPI.OpenFile"), line);
  }

  private async showFile(pane: PaneInfo | undefined, line: number): Promise<void> {
    if (!pane) return;
    await this.enter();
    this.core.set({ fileLine: { pane: pane.id, line } });
    this.opened(pane);
    this.show(pane.id);
  }

  /** Opens a file of a goal in the user's editor, in a terminal. */
  async openEditor(goal: string, path: string): Promise<PaneInfo | undefined> {
    const pane = this.opened(await this.core.ask("ChangesAPI.Edit", goal, path));
    if (pane) await this.enter();
    return pane;
  }

  /** Opens a file in the user's editor, in a terminal, at a line. */
  async editLine(path: string, line: number): Promise<void> {
    if (this.opened(await this.core.ask("WorkspaceAPI.EditLine", path, line))) this.core.go("workspace");
  }

  async openSSH(server: string, session = ""): Promise<PaneInfo | undefined> {
    this.core.set({ servers: false });
    await this.enter();
    return this.opened(await this.core.ask("SSHAPI.Open", { server, session, cols: 80, rows: 24 }));
  }

  /** Opens a terminal on a server by its name, and closes the list of servers. Returns the problem, if any. */
  async connectSSH(target: string): Promise<Problem | null> {
    try {
      const pane = await this.core.bridge.call("SSHAPI.Connect", { target, cols: 80, rows: 24 });
      this.core.set({ servers: false });
      await this.enter();
      this.opened(pane);
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  }

  async openBrowser(url = "", profile = ""): Promise<PaneInfo | undefined> {
    await this.enter();
    return this.opened(await this.core.ask("BrowserAPI.Open", { url, ...pageSize(), profile }));
  }

  /** Opens the page that was closed last, if there is one. */
  async reopenPage(): Promise<PaneInfo | undefined> {
    await this.enter();
    return this.opened((await this.core.ask("BrowserAPI.Reopen")) ?? undefined);
  }

  /** Opens Chromium's developer tools for a page, at an element or at the console. */
  async openDevTools(id: string, element: PagePoint | null = null): Promise<PaneInfo | undefined> {
    const dark = document.documentElement.dataset.theme !== "light";
    const tools = await this.core.ask("BrowserAPI.DevTools", id, { element, dark, width: 1024, height: 480 });
    this.opened(tools);
    if (tools) this.show(tools.id);
    return tools;
  }

  /** Closes the panes of a goal that has ended. */
  closeAllOf(goal: string): void {
    for (const pane of this.core.state.panes.panes) if (pane.goal_id === goal) this.close(pane.id);
  }

  /** Makes an opened pane the active one. The route does not change, because the answer may be late. */
  private opened(pane: PaneInfo | undefined): PaneInfo | undefined {
    if (!pane) return undefined;
    this.core.store.setState((s) => ({ panes: withPane(s.panes, pane), activePane: pane.id }));
    return pane;
  }

  update(pane: PaneInfo): void {
    this.core.store.setState((s) => ({ panes: withPaneInfo(s.panes, pane) }));
  }

  /** Closes a pane; asks first if a goal uses it or a command runs in it, whose line may be unknown. */
  close(id: string, running: { command: string } | null = null): void {
    const pane = this.core.state.panes.panes.find((p) => p.id === id);
    if (!pane) return;
    const close = async () => {
      await this.core.ask(closeCalls[pane.kind], id);
    };
    if (this.files.get(id)?.isChanged) {
      this.core.confirm({
        title: `Close ${pane.title} without saving?`,
        text: "What you wrote since the last save is lost.",
        yes: "Close without saving",
        danger: true,
        run: close,
      });
      return;
    }
    if (pane.session && pane.running) {
      this.core.confirm({
        title: `Close ${pane.title}?`,
        text:
          `The session ${pane.session} can keep running on ${pane.server} without this pane, so that ` +
          "you can return to it. Or end it now.",
        yes: "End the session",
        danger: true,
        other: { label: "Keep it running", run: close },
        run: async () => {
          await this.core.ask("SSHAPI.Destroy", id);
        },
      });
      return;
    }
    const goal = this.core.state.goals.byId[pane.goal_id]?.card;
    if (!goal || !isLive(goal)) {
      if (pane.pinned) this.confirmEndOfPinned(pane, close);
      else if (running && pane.running) this.confirmEndOfCommand(pane, running.command, close);
      else void close();
      return;
    }
    this.core.confirm({
      title: "A goal is using this pane. Close it?",
      text: "The goal's next step in this pane will fail. It can open another one.",
      yes: "Close the pane",
      danger: true,
      run: close,
    });
  }

  private confirmEndOfPinned(pane: PaneInfo, close: () => Promise<void>): void {
    this.core.confirm({
      title: `Close the pinned page “${stripControl(clip(oneLine(pane.title), 60))}”?`,
      text: "Ctrl+Shift+T in another page brings it back.",
      yes: "Close the page",
      danger: false,
      run: close,
    });
  }

  private confirmEndOfCommand(pane: PaneInfo, command: string, close: () => Promise<void>): void {
    this.core.confirm({
      title: command
        ? `“${stripControl(clip(oneLine(command), 60))}” is running. Close the terminal?`
        : `A command is running in ${pane.title || "this terminal"}. Close it?`,
      text: "Closing the terminal ends the command. This cannot be undone.",
      yes: "End it and close",
      danger: true,
      run: close,
    });
  }

  /** Shows a pane to the user. */
  show(id: string): void {
    this.core.go("workspace");
    this.workspaces.reveal(id);
    this.core.set({ panes: { ...this.core.state.panes, shown: { id, rev: this.core.state.panes.rev } } });
  }
}
