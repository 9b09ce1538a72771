import { asProblem } from "@/bridge/problem";
import type { ConnectInput, ConnectionTest, ConnectOutput, Problem } from "@/bridge/types";
import type { AppCore } from "./core";
import type { SettingsActions } from "./settingsactions";
import type { ConnectTarget } from "./state";

/** Manages model providers. */
export class ProviderActions {
  constructor(
    private readonly core: AppCore,
    private readonly settings: SettingsActions,
  ) {}

  async load(): Promise<void> {
    const providers = await this.core.newest("ModelAPI.List");
    if (providers !== undefined) this.core.set({ providers: providers ?? [] });
  }

  /** Loads the presets, and shortly after that what was found on this computer. */
  async loadOffers(): Promise<void> {
    const presets = await this.core.newest("ModelAPI.Presets");
    if (presets !== undefined) this.core.set({ presets: presets ?? [] });
    const found = await this.core.newest("ModelAPI.Discover");
    if (found !== undefined) this.core.set({ foundServers: found ?? [] });
  }

  /** Opens the dialog to choose a preset, for one preset, or for a saved provider. */
  openConnect(target: ConnectTarget): void {
    this.core.set({ connecting: target });
    if (this.core.state.presets.length === 0) void this.loadOffers();
  }

  closeConnect(): void {
    this.core.set({ connecting: null });
  }

  /** Tests a connection without saving it; returns a Problem if the input cannot be tested. */
  async tryConnection(input: ConnectInput): Promise<ConnectionTest | Problem> {
    try {
      return await this.core.bridge.call("ModelAPI.Try", input);
    } catch (reason) {
      return asProblem(reason);
    }
  }

  /** Tests and saves a connection; returns a Problem if it was refused. */
  async connect(input: ConnectInput): Promise<ConnectOutput | Problem> {
    let out: ConnectOutput;
    try {
      out = await this.core.bridge.call("ModelAPI.Connect", input);
    } catch (reason) {
      return asProblem(reason);
    }
    if (out.saved) await Promise.all([this.load(), this.settings.loadFindings()]);
    return out;
  }

  async activate(id: string): Promise<void> {
    if (await this.core.ask("ModelAPI.Use", id)) await Promise.all([this.load(), this.settings.loadFindings()]);
  }

  delete(id: string): void {
    this.core.confirm({
      title: `Delete the provider ${id}?`,
      text: "Goals that used it keep their history but cannot be resumed with it.",
      yes: "Delete provider",
      danger: true,
      run: async () => {
        if (await this.core.ask("ModelAPI.Delete", id)) await this.load();
      },
    });
  }
}
