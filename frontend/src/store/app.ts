import { watchGoalRequests } from "@/bridge/goalrequests";
import { ApprovalActions } from "./approvalactions";
import { AppCore } from "./core";
import { FolderActions } from "./folderactions";
import { GoalActions } from "./goalactions";
import { PaneActions } from "./paneactions";
import { ProviderActions } from "./provideractions";
import { SettingsActions } from "./settingsactions";

/** The program behind the page: its state and its actions by area. */
export class App extends AppCore {
  readonly panes = new PaneActions(this);
  readonly approvals = new ApprovalActions(this);
  readonly settings = new SettingsActions(this);
  readonly providers = new ProviderActions(this, this.settings);
  readonly goals = new GoalActions(this, this.settings);
  readonly folder = new FolderActions(this);

  async start(): Promise<void> {
    const settings = await this.bridge.call("SettingsAPI.Get");
    this.set({ settings, route: settings.welcomed ? "workspace" : "welcome" });
    this.sync.start();
    // The window is shown before these have loaded.
    void this.providers.load();
    void this.settings.loadFindings();
    watchGoalRequests((id) => void this.showRequestedGoal(id));
  }

  /** Shows the goal of a goalpost:// address, which contains its id or a part of it. */
  private async showRequestedGoal(id: string): Promise<void> {
    const view = await this.ask("GoalAPI.Get", id);
    if (view) this.openGoal(view.id);
  }
}
