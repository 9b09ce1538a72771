import { answerClosing, restartHost, watchClosing, watchGoalRequests, watchUpdate } from "@/bridge/windowevents";
import type { Running } from "@/bridge/windowevents";
import { plural } from "@/lib/text";
import { isPhone } from "@/lib/viewer";
import { watchAbsence } from "./absence";
import { ApprovalActions } from "./approvalactions";
import { ChatActions } from "./chatactions";
import { AppCore } from "./core";
import { rememberDrawers } from "./drawers";
import { FileDrafts } from "./filedrafts";
import { FolderActions } from "./folderactions";
import { GoalActions } from "./goalactions";
import { PaneActions } from "./paneactions";
import { ProviderActions } from "./provideractions";
import { SettingsActions } from "./settingsactions";
import { WorkspaceActions } from "./workspaceactions";

/** The program behind the page: its state and its actions by area. */
export class App extends AppCore {
  readonly drafts = new FileDrafts(this);
  readonly workspaces = new WorkspaceActions(this, this.drafts);
  readonly panes = new PaneActions(this, this.workspaces);
  readonly approvals = new ApprovalActions(this);
  readonly settings = new SettingsActions(this);
  readonly providers = new ProviderActions(this, this.settings);
  readonly goals = new GoalActions(this, this.settings, this.workspaces);
  readonly folder = new FolderActions(this);
  readonly chat = new ChatActions(this, this.workspaces);

  async start(): Promise<void> {
    const settings = await this.bridge.call("SettingsAPI.Get");
    this.set({ settings, route: settings.welcomed ? "workspace" : "welcome" });
    // A phone covers the panes with the drawer, and so begins without it.
    if (!isPhone()) rememberDrawers(this.store, localStorage);
    this.sync.onSettings = () => {
      void this.settings.reload();
      void this.settings.loadProblems();
      void this.settings.loadColorSchemes();
      void this.providers.load();
    };
    this.sync.start();
    // The window is shown before these have loaded.
    void this.settings.loadProblems();
    void this.settings.loadColorSchemes();
    void this.settings.loadTerminalProfiles();
    void this.providers.load();
    void this.settings.loadFindings();
    watchAbsence((since) => void this.goals.greet(since));
    watchUpdate((version) => this.set({ updateWaits: version }));
    watchGoalRequests((id) => void this.showRequestedGoal(id));
    watchClosing((running) => this.closeWindow(running));
  }

  /** Asks once what becomes of what runs when the window closes. After that, it keeps running. */
  private closeWindow({ goals, terminals, pages }: Running): void {
    if (this.state.settings?.keep_running) {
      answerClosing("keep");
      return;
    }
    const parts = [
      [goals, "goal"],
      [terminals, "terminal"],
      [pages, "page"],
    ] as const;
    const what = parts.filter(([n]) => n > 0).map(([n, word]) => plural(n, word));
    this.confirm({
      title: "Keep everything running?",
      text:
        `${what.join(", ")} can keep running without the window, and are there when you open it again. ` +
        "If you stop them, goals pause, terminals and pages close. The settings have this choice, too.",
      yes: "Keep running",
      danger: false,
      run: async () => {
        await this.settings.save({ keep_running: true });
        answerClosing("keep");
      },
      other: { label: "Stop everything", run: () => answerClosing("stop") },
      cancel: () => answerClosing("cancel"),
    });
  }

  /** Ends the host process, and with it the window. */
  stopEverything(): void {
    this.confirm({
      title: "Stop everything?",
      text: "Goals pause, and can be resumed. Terminals and pages close, and so does this window.",
      yes: "Stop everything",
      danger: true,
      run: () => answerClosing("stop"),
    });
  }

  /** Starts the program that waits, with a host process of its own version. */
  startUpdate(): void {
    this.confirm({
      title: `Restart as ${this.state.updateWaits}?`,
      text:
        "Goals continue. The programs in terminals end; terminals open again with what they showed, pages with their " +
        "addresses.",
      yes: "Restart now",
      danger: false,
      run: restartHost,
    });
  }

  /** Shows the goal of a goalpost:// address, which contains its id or a part of it. */
  private async showRequestedGoal(id: string): Promise<void> {
    const view = await this.ask("GoalAPI.Get", id);
    if (view) this.openGoal(view.id);
  }
}
