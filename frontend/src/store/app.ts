import type { Bridge } from "@/bridge/bridge";
import type { Method, Methods } from "@/bridge/methods";
import { asProblem } from "@/bridge/problem";
import type {
  AnswerInput,
  Decision,
  GrantView,
  PaneInfo,
  Problem,
  Provider,
  PruneInput,
  ResumeInput,
  Settings,
  StartInput,
} from "@/bridge/types";
import { createStore, type StoreApi } from "zustand/vanilla";
import { isLive } from "./goalcards";
import { withoutCard } from "./goals";
import { withPane, withPaneInfo } from "./panes";
import { initialState, type AppState, type ConfirmRequest, type Route } from "./state";
import { Sync } from "./sync";

/** How a short message reaches the user. */
export interface Notifier {
  problem(problem: Problem): void;
  done(text: string): void;
}

const keepLimits: ResumeInput = {
  note: "",
  protected: "",
  wall_clock_ms: 0,
  iterations: 0,
  claims_per_gate: 0,
  tokens: 0,
  usd: 0,
};

/** The program behind the page: its state, and what a user can do to it. */
export class App {
  readonly store: StoreApi<AppState> = createStore<AppState>(() => ({ ...initialState }));
  readonly sync: Sync;
  private saved: Promise<unknown> = Promise.resolve();
  /** The settings as Go has them, while some are on their way to it. */
  private kept: Settings | null = null;
  private readonly unsaved: Partial<Settings>[] = [];
  /** How often each method was asked by `newest`. */
  private readonly asked = new Map<Method, number>();

  constructor(
    readonly bridge: Bridge,
    readonly notices: Notifier,
  ) {
    this.sync = new Sync(bridge, this.store, (p) => notices.problem(p));
  }

  get state(): AppState {
    return this.store.getState();
  }

  async start(): Promise<void> {
    const settings = await this.bridge.call("SettingsAPI.Get");
    this.set({ settings, route: settings.welcomed ? "workspace" : "welcome" });
    this.sync.start();
    // The window is shown before these are there.
    void this.loadProviders();
    void this.loadFindings();
  }

  set(part: Partial<AppState>): void {
    this.store.setState(part);
  }

  /** Asks Go and shows what went wrong; `undefined` means that it failed and has been shown. */
  async ask<M extends Method>(method: M, ...args: Parameters<Methods[M]>): Promise<ReturnType<Methods[M]> | undefined> {
    try {
      return await this.bridge.call(method, ...args);
    } catch (reason) {
      this.notices.problem(asProblem(reason));
      return undefined;
    }
  }

  /** Asks as well; `undefined` also when it was asked again: answers come in any order, and the newest question counts. */
  private async newest<M extends Method>(method: M, ...args: Parameters<Methods[M]>) {
    const n = (this.asked.get(method) ?? 0) + 1;
    this.asked.set(method, n);
    const answer = await this.ask(method, ...args);
    return this.asked.get(method) === n ? answer : undefined;
  }

  // Places ---------------------------------------------------------------

  go(route: Route): void {
    this.set({ route });
  }

  /** Shows a goal in the dashboard. */
  openGoal(id: string): void {
    this.sync.select(id);
    this.set({ route: "goals" });
  }

  /** Shows a goal beside the workspace. */
  watchGoal(id: string): void {
    this.sync.select(id);
    this.set({ route: "workspace", drawer: true });
  }

  /** Ctrl+Shift+G: the dashboard with the dialog in front; pressed again it closes both. */
  toggleGoals(): void {
    if (this.state.route === "goals") this.set({ route: "workspace", newGoal: { open: false, from: null } });
    else this.set({ route: "goals", newGoal: { open: true, from: null } });
  }

  newGoal(from: Partial<StartInput> | null = null): void {
    this.set({ newGoal: { open: true, from } });
  }

  closeNewGoal(): void {
    this.set({ newGoal: { open: false, from: null } });
  }

  confirm(question: ConfirmRequest): void {
    this.set({ question });
  }

  // Panes ----------------------------------------------------------------

  async openTerminal(dir = ""): Promise<PaneInfo | undefined> {
    this.go("workspace");
    return this.opened(await this.ask("TerminalAPI.Open", { dir, cols: 80, rows: 24 }));
  }

  async openSSH(server: string, session = ""): Promise<PaneInfo | undefined> {
    this.set({ servers: false });
    this.go("workspace");
    return this.opened(await this.ask("SSHAPI.Open", { server, session, cols: 80, rows: 24 }));
  }

  async openBrowser(url = "", profile = ""): Promise<PaneInfo | undefined> {
    this.go("workspace");
    return this.opened(await this.ask("BrowserAPI.Open", { url, width: 1024, height: 768, profile }));
  }

  /** The answer may be late: a user who has gone elsewhere stays there. */
  private opened(pane: PaneInfo | undefined): PaneInfo | undefined {
    if (!pane) return undefined;
    this.store.setState((s) => ({ panes: withPane(s.panes, pane), activePane: pane.id }));
    return pane;
  }

  paneInfo(pane: PaneInfo): void {
    this.store.setState((s) => ({ panes: withPaneInfo(s.panes, pane) }));
  }

  /** Closes a pane; asks first when a goal works in it. */
  closePane(id: string): void {
    const pane = this.state.panes.panes.find((p) => p.id === id);
    if (!pane) return;
    const close = async () => {
      await (pane.kind === "terminal" ? this.ask("TerminalAPI.Close", id) : this.ask("BrowserAPI.Close", id));
    };
    if (pane.session && pane.running) {
      this.confirm({
        title: `Close ${pane.title}?`,
        text: `The session ${pane.session} can keep running on ${pane.server} without this pane, so that you can return to it. Or end it now.`,
        yes: "End the session",
        danger: true,
        other: { label: "Keep it running", run: close },
        run: async () => {
          await this.ask("SSHAPI.Destroy", id);
        },
      });
      return;
    }
    const goal = this.state.goals.byId[pane.goal_id]?.card;
    if (!goal || !isLive(goal)) {
      void close();
      return;
    }
    this.confirm({
      title: "A goal is using this pane. Close it?",
      text: "The goal's next step in this pane will fail. It can open another one.",
      yes: "Close the pane",
      danger: true,
      run: close,
    });
  }

  /** Brings a pane before the user. */
  showPane(id: string): void {
    this.go("workspace");
    this.set({ panes: { ...this.state.panes, shown: { id, rev: this.state.panes.rev } } });
  }

  // Goals ----------------------------------------------------------------

  async runDemo(): Promise<void> {
    const out = await this.ask("GoalAPI.Demo");
    if (!out) return;
    void this.welcomed();
    this.watchGoal(out.goal_id);
  }

  async pauseGoal(id: string): Promise<void> {
    if (await this.ask("GoalAPI.Pause", id)) this.notices.done("Pausing after the current step…");
  }

  /** Continues a goal that stopped; what is not said stays as it is. */
  async resumeGoal(id: string, part: Partial<ResumeInput> = {}): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resumeGoal(id, { ...part, ...more });
    return this.goOn(id, resume, "GoalAPI.Resume", id, { ...keepLimits, ...part });
  }

  /** Continues a goal that was done. */
  async reopenGoal(id: string, part: Partial<ResumeInput>): Promise<boolean> {
    const reopen = (more: Partial<ResumeInput>) => this.reopenGoal(id, { ...part, ...more });
    return this.goOn(id, reopen, "GoalAPI.Reopen", id, { ...keepLimits, ...part });
  }

  async acceptGoal(id: string): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resumeGoal(id, more);
    return this.goOn(id, resume, "GoalAPI.Accept", id);
  }

  async rejectGoal(id: string, note: string): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resumeGoal(id, { note, ...more });
    return this.goOn(id, resume, "GoalAPI.Reject", id, note);
  }

  /** Lets a goal continue. If the user must decide about protected files first, that is asked under the goal. */
  private async goOn<M extends "GoalAPI.Resume" | "GoalAPI.Reopen" | "GoalAPI.Accept" | "GoalAPI.Reject">(
    id: string,
    decided: (part: Partial<ResumeInput>) => Promise<boolean>,
    method: M,
    ...args: Parameters<Methods[M]>
  ): Promise<boolean> {
    try {
      const ok = await this.bridge.call(method, ...args);
      if (this.state.protectedChanged?.id === id) this.set({ protectedChanged: null });
      return ok;
    } catch (reason) {
      const problem = asProblem(reason);
      if (problem.code === "protected_changed") {
        const resume = (decision: Decision) => decided({ protected: decision });
        this.set({ protectedChanged: { id, message: problem.message, resume } });
        this.notices.problem({ ...problem, hint: "Open the goal to keep your changes or restore the files." });
      } else {
        this.notices.problem(problem);
      }
      return false;
    }
  }

  /** Deletes ended goals, after it has said how many they are. */
  async pruneGoals(input: PruneInput): Promise<void> {
    const found = await this.ask("GoalAPI.Prunable", input);
    if (!found) return;
    if (found.goals === 0) {
      this.notices.done("No goals to delete");
      return;
    }
    this.confirm({
      title: found.goals === 1 ? "Delete one goal?" : `Delete ${found.goals} goals?`,
      text: "This permanently deletes their steps, evidence and receipts. Files in their folders stay.",
      yes: "Delete",
      danger: true,
      run: async () => {
        const gone = await this.ask("GoalAPI.Prune", input);
        if (!gone) return;
        this.notices.done(`${gone.goals} deleted`);
        await this.sync.loadGoals();
        const { id } = this.state.detail;
        if (id && !(id in this.state.goals.byId)) this.sync.select("");
      },
    });
  }

  async steerGoal(id: string, text: string): Promise<boolean> {
    const ok = (await this.ask("GoalAPI.Steer", id, text)) ?? false;
    if (ok) this.notices.done("The agent reads your note before its next turn");
    return ok;
  }

  abortGoal(id: string): void {
    this.confirm({
      title: "Abort this goal?",
      text: "The agent stops immediately. Files that it changed stay as they are.",
      yes: "Abort goal",
      danger: true,
      run: async () => {
        await this.ask("GoalAPI.Abort", id);
      },
    });
  }

  deleteGoal(id: string): void {
    this.confirm({
      title: "Delete this goal?",
      text: "This permanently deletes its steps, evidence and receipt. Files in its folder stay.",
      yes: "Delete goal",
      danger: true,
      run: async () => {
        if (!(await this.ask("GoalAPI.Delete", id))) return;
        if (this.state.detail.id === id) this.sync.select("");
        this.store.setState((s) => ({ goals: withoutCard(s.goals, id) }));
      },
    });
  }

  // Approvals ------------------------------------------------------------

  async openApprovals(): Promise<void> {
    this.set({ approvalsOpen: true });
    await this.loadApprovals();
  }

  async loadApprovals(): Promise<void> {
    try {
      await this.sync.loadApprovals();
    } catch (reason) {
      this.notices.problem(asProblem(reason));
    }
  }

  async answerApprovals(answers: AnswerInput[]): Promise<void> {
    await this.ask("ApprovalAPI.Answer", answers);
    await this.loadApprovals();
  }

  /** Takes back what a goal was allowed; asks first where programs end with it. */
  takeBack(grant: GrantView): void {
    const revoke = async () => {
      await this.ask("ApprovalAPI.Revoke", grant.goal_id, grant.request);
      await this.loadApprovals();
    };
    if (!grant.held) {
      void revoke();
      return;
    }
    this.confirm({
      title: "Revoke and stop the goal's programs?",
      text: "The goal's programs may be using it. All its terminals, servers and running commands stop. The agent is notified.",
      yes: "Revoke and stop programs",
      danger: true,
      run: revoke,
    });
  }

  // Settings -------------------------------------------------------------

  async loadProviders(): Promise<void> {
    const providers = await this.newest("ModelAPI.List");
    if (providers !== undefined) this.set({ providers: providers ?? [] });
  }

  async loadFindings(): Promise<void> {
    const findings = await this.newest("SettingsAPI.Doctor");
    if (findings !== undefined) this.set({ findings: findings ?? [], doctored: true });
  }

  /**
   * Saves a part of the settings, one after the other. It holds at once; one that is refused is shown, given back as the
   * Problem, and taken back alone.
   */
  async saveSettings(part: Partial<Settings>): Promise<Problem | null> {
    const { settings } = this.state;
    if (!settings) return null;
    if (this.unsaved.length === 0) this.kept = settings;
    this.unsaved.push(part);
    this.set({ settings: { ...settings, ...part } });
    const saved = this.saved.then(() => this.savePart(part));
    this.saved = saved;
    return saved;
  }

  private async savePart(part: Partial<Settings>): Promise<Problem | null> {
    const wanted = { ...this.kept, ...part } as Settings;
    let refused: Problem | null = null;
    try {
      await this.bridge.call("SettingsAPI.Save", wanted);
      this.kept = wanted;
    } catch (reason) {
      refused = asProblem(reason);
      this.notices.problem(refused);
    }
    this.unsaved.shift();
    this.set({ settings: Object.assign({}, this.kept, ...this.unsaved) as Settings });
    return refused;
  }

  async welcomed(): Promise<void> {
    if (this.state.settings?.welcomed === false) await this.saveSettings({ welcomed: true });
  }

  /** Saves a provider; the Problem when it was refused. */
  async saveProvider(provider: Provider): Promise<Problem | null> {
    try {
      await this.bridge.call("ModelAPI.Save", provider);
    } catch (reason) {
      return asProblem(reason);
    }
    await Promise.all([this.loadProviders(), this.loadFindings()]);
    return null;
  }

  async useProvider(id: string): Promise<void> {
    if (await this.ask("ModelAPI.Use", id)) await Promise.all([this.loadProviders(), this.loadFindings()]);
  }

  deleteProvider(id: string): void {
    this.confirm({
      title: `Delete the provider ${id}?`,
      text: "Goals that used it keep their history but cannot be resumed with it.",
      yes: "Delete provider",
      danger: true,
      run: async () => {
        if (await this.ask("ModelAPI.Delete", id)) await this.loadProviders();
      },
    });
  }
}
