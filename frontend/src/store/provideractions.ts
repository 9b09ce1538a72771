import { asProblem } from "@/bridge/problem";
import type { Problem, Provider } from "@/bridge/types";
import type { AppCore } from "./core";
import type { SettingsActions } from "./settingsactions";

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

  /** Saves a provider; the Problem when it was refused. */
  async save(provider: Provider): Promise<Problem | null> {
    try {
      await this.core.bridge.call("ModelAPI.Save", provider);
    } catch (reason) {
      return asProblem(reason);
    }
    await Promise.all([this.load(), this.settings.loadFindings()]);
    return null;
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
