import { asProblem } from "@/bridge/problem";
import type { ColorScheme, Problem, Settings } from "@/bridge/types";
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

  /** Reads the settings again, which another program or window may have changed. What is being saved here stays. */
  async reload(): Promise<void> {
    const read = this.saved.then(async () => {
      const now = await this.core.newest("SettingsAPI.Get");
      if (now === undefined) return;
      this.confirmed = now;
      this.core.set({ settings: Object.assign({}, now, ...this.unsaved) as Settings });
    });
    this.saved = read;
    return read;
  }

  async loadProblems(): Promise<void> {
    const file = await this.core.newest("SettingsAPI.FileState");
    if (file !== undefined) this.core.set({ settingsProblems: file.problems ?? [] });
  }

  moveFileAside(): void {
    this.core.confirm({
      title: "Move settings.json aside?",
      text:
        "The file with the errors stays beside it under another name, so that you can copy from it. The new " +
        "settings.json has everything that could be read.",
      yes: "Move aside",
      danger: false,
      run: async () => {
        const kept = await this.core.ask("SettingsAPI.MoveFileAside");
        if (kept === undefined) return;
        this.core.notices.done(`The file with the errors is now ${kept}`);
        await this.loadProblems();
      },
    });
  }

  async markWelcomed(): Promise<void> {
    if (this.core.state.settings?.welcomed === false) await this.save({ welcomed: true });
  }

  async loadColorSchemes(): Promise<void> {
    const schemes = await this.core.newest("SettingsAPI.ColorSchemes");
    if (schemes !== undefined) this.core.set({ colorSchemes: schemes ?? [] });
  }

  /** Imports the color scheme of a file; returns a Problem if it is none. */
  async importColorScheme(file: File): Promise<ColorScheme | Problem> {
    try {
      const scheme = await this.core.bridge.call("SettingsAPI.ImportColorScheme", file.name, await file.text());
      await this.loadColorSchemes();
      return scheme;
    } catch (reason) {
      return asProblem(reason);
    }
  }

  deleteColorScheme(name: string): void {
    this.core.confirm({
      title: `Remove the color scheme ${name}?`,
      text: "Terminals with it get the colors of the theme. Its file can be imported again.",
      yes: "Remove",
      danger: true,
      run: async () => {
        if (!(await this.core.ask("SettingsAPI.DeleteColorScheme", name))) return;
        await this.reload();
        await Promise.all([this.loadColorSchemes(), this.loadTerminalProfiles()]);
      },
    });
  }

  async loadTerminalProfiles(): Promise<void> {
    const profiles = await this.core.newest("SettingsAPI.TerminalProfiles");
    if (profiles !== undefined) this.core.set({ terminalProfiles: profiles ?? [] });
  }

  deleteTerminalProfile(name: string): void {
    this.core.confirm({
      title: `Remove the terminal profile ${name}?`,
      text: "Terminals that were opened with it keep running. After a restart they have your shell.",
      yes: "Remove",
      danger: true,
      run: async () => {
        if (await this.core.ask("SettingsAPI.DeleteTerminalProfile", name)) await this.loadTerminalProfiles();
      },
    });
  }

  async loadFindings(): Promise<void> {
    const findings = await this.core.newest("SettingsAPI.Doctor");
    if (findings !== undefined) this.core.set({ findings: findings ?? [], doctored: true });
  }
}
