import { asProblem } from "@/bridge/problem";
import type { Problem, Settings } from "@/bridge/types";
import type { AppCore } from "./core";

/** Saves settings and loads the findings about this machine. */
export class SettingsActions {
  private saved: Promise<unknown> = Promise.resolve();
  /** The settings as Go has them, while changes are being saved. */
  private confirmed: Settings | null = null;
  private readonly unsaved: Partial<Settings>[] = [];

  constructor(private readonly core: AppCore) {}

  /**
   * Saves some settings, one request after the other. They take effect immediately. A refused change is shown,
   * returned as the Problem, and reverted alone. With silent, the caller shows it.
   */
  async save(part: Partial<Settings>, { silent = false } = {}): Promise<Problem | null> {
    const { settings } = this.core.state;
    if (!settings) return null;
    if (this.unsaved.length === 0) this.confirmed = settings;
    this.unsaved.push(part);
    this.core.set({ settings: { ...settings, ...part } });
    const saved = this.saved.then(() => this.savePart(part, silent));
    this.saved = saved;
    return saved;
  }

  private async savePart(part: Partial<Settings>, silent: boolean): Promise<Problem | null> {
    const wanted = { ...this.confirmed, ...part } as Settings;
    let refused: Problem | null = null;
    try {
      await this.core.bridge.call("SettingsAPI.Save", wanted);
      this.confirmed = wanted;
    } catch (reason) {
      refused = asProblem(reason);
      if (!silent) this.core.notices.problem(refused);
    }
    this.unsaved.shift();
    this.core.set({ settings: Object.assign({}, this.confirmed, ...this.unsaved) as Settings });
    return refused;
  }

  async markWelcomed(): Promise<void> {
    if (this.core.state.settings?.welcomed === false) await this.save({ welcomed: true });
  }

  async loadFindings(): Promise<void> {
    const findings = await this.core.newest("SettingsAPI.Doctor");
    if (findings !== undefined) this.core.set({ findings: findings ?? [], doctored: true });
  }
}
