import type { PaneInfo, Workspace } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import type { AppCore } from "./core";
import type { FileDrafts } from "./filedrafts";
import {
  goalTabsOf,
  isDrawerOpen,
  isOwnTabUsed,
  openWorkspace,
  ownPanes,
  ownTab,
  shownTab,
  workspaceOf,
} from "./workspaces";

/** Actions on workspaces and on the tabs in them. */
export class WorkspaceActions {
  constructor(
    private readonly core: AppCore,
    private readonly drafts: FileDrafts,
  ) {}

  get open(): Workspace | undefined {
    return openWorkspace(this.core.state);
  }

  private get list(): readonly Workspace[] {
    return this.core.state.panes.workspaces.list ?? [];
  }

  /** Shows a workspace; new panes belong to it. */
  show(id: string, tab = ""): void {
    this.core.set({ workspace: id, paneTab: tab, route: "workspace" });
    void this.activate();
  }

  /** The same for the nth workspace, counted from 0. */
  showNth(n: number): void {
    const one = this.list[n];
    if (one) this.show(one.id);
  }

  /** Shows the next (1) or the previous (-1) workspace. */
  step(by: 1 | -1): void {
    const at = this.list.findIndex((w) => w.id === this.open?.id);
    this.showNth((at + by + this.list.length) % this.list.length);
  }

  /** Shows the next (1) or the previous (-1) tab of the workspace: the user's panes, or a goal. */
  stepTab(by: 1 | -1): void {
    const { state } = this.core;
    const tabs = [ownTab, ...goalTabsOf(state, this.open)];
    const at = tabs.indexOf(shownTab(state));
    this.showTab(tabs[(at + by + tabs.length) % tabs.length] ?? ownTab);
  }

  /** Shows a tab of the open workspace, and the goal whose tab it is. */
  showTab(tab: string): void {
    if (tab !== ownTab) this.core.sync.select(tab);
    this.core.set({ paneTab: tab, route: "workspace" });
  }

  /** Shows or hides the selected goal beside the open tab. */
  toggleDrawer(): void {
    const { state } = this.core;
    // The chat covers it: then it is shown.
    const show = state.chatOpen || !isDrawerOpen(state);
    this.core.set({ chatOpen: false, ...(isOwnTabUsed(state) ? { ownDrawer: show } : { drawer: show }) });
  }

  /** Closes what covers the panes of a phone: the goal and the chat. */
  uncover(): void {
    this.core.set({ chatOpen: false, drawer: false, ownDrawer: false });
  }

  /** Shows the tab of a goal, in its workspace. */
  showGoal(goal: string): void {
    const one = workspaceOf(this.core.state, goal);
    this.core.set({ workspace: one?.id ?? "", paneTab: goal, route: "workspace" });
  }

  /** Shows the tab that a pane is in. */
  reveal(pane: string): void {
    const { state } = this.core;
    const info = state.panes.panes.find((p) => p.id === pane);
    const own = this.list.find((w) => ownPanes(state, w).some((p) => p.id === pane));
    if (own) this.core.set({ workspace: own.id, paneTab: ownTab });
    else if (info?.goal_id) this.showGoal(info.goal_id);
  }

  /** Makes the open workspace the one that new panes belong to, and returns it. */
  async activate(): Promise<Workspace | undefined> {
    const { open } = this;
    if (open && this.core.state.panes.workspaces.active !== open.id) {
      await this.core.ask("WorkspaceAPI.Activate", open.id);
    }
    return open;
  }

  /** Creates a workspace without showing it. Returns its id. */
  create(name: string, folder: string): Promise<string | undefined> {
    return this.core.ask("WorkspaceAPI.Create", name, folder);
  }

  async rename(id: string, name: string): Promise<void> {
    const one = this.list.find((w) => w.id === id);
    if (one && name && name !== one.name) await this.core.ask("WorkspaceAPI.Rename", id, name, one.folder);
  }

  /** Moves a workspace by one place. */
  async move(id: string, by: 1 | -1): Promise<void> {
    await this.moveTo(id, this.list.findIndex((w) => w.id === id) + by);
  }

  async moveTo(id: string, at: number): Promise<void> {
    if (at >= 0 && at < this.list.length) await this.core.ask("WorkspaceAPI.Move", id, at);
  }

  /** Closes a workspace; asks first if something runs in it, or is not saved. */
  async close(id: string): Promise<void> {
    const one = this.list.find((w) => w.id === id);
    if (!one) return;
    const close = async () => {
      await this.core.ask("WorkspaceAPI.Close", id);
    };
    const losses = this.list.length === 1 ? [] : await this.lossesOf(one);
    if (losses.length === 0) {
      await close();
      return;
    }
    this.core.confirm({
      title: `Close ${one.name}?`,
      text: [...losses, "Goals keep running."].join(" "),
      yes: "Close the workspace",
      danger: true,
      run: close,
    });
  }

  /** Says in sentences what closing a workspace ends. */
  private async lossesOf(one: Workspace): Promise<string[]> {
    const panes = ownPanes(this.core.state, one);
    const running = (kind: PaneInfo["kind"]) => panes.filter((p) => p.running && p.kind === kind).length;
    const [terminals, pages] = [running("terminal"), running("browser")];
    const parts = [terminals > 0 ? plural(terminals, "terminal") : "", pages > 0 ? plural(pages, "page") : ""].filter(
      Boolean,
    );
    const files = panes.filter((p) => p.kind === "file");
    const drafts = await Promise.all(files.map((p) => this.drafts.get(p.id)));
    const unsaved = files.filter((_, i) => drafts[i]).map((p) => stripControl(p.title));
    return [
      parts.length > 0 ? `${parts.join(" and ")} in it will be closed, and what runs there ends.` : "",
      unsaved.length > 0 ? `What you wrote in ${unsaved.join(", ")} and did not save is lost.` : "",
    ].filter(Boolean);
  }

  /** Puts a pane of a goal beside the user's panes, or back into the goal's tab. */
  async showBeside(pane: string, on: boolean): Promise<void> {
    const one = await this.activate();
    if (!one || !(await this.core.ask("WorkspaceAPI.Show", one.id, pane, on))) return;
    const goal = this.core.state.panes.panes.find((p) => p.id === pane)?.goal_id ?? "";
    this.core.set({ paneTab: on ? ownTab : goal });
  }

  /** Notes that a goal was started in the open workspace. */
  addGoal(goal: string): void {
    const { open } = this;
    if (open) void this.core.ask("WorkspaceAPI.AddGoal", open.id, goal);
  }

  closeSoon(goal: string): void {
    void this.core.ask("WorkspaceAPI.CloseSoon", goal);
  }

  look(goal: string, on: boolean): void {
    void this.core.ask("WorkspaceAPI.Look", goal, on);
  }

  keep(goal: string): void {
    void this.core.ask("WorkspaceAPI.Keep", goal);
  }
}
