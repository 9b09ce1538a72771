import type { Methods } from "@/bridge/methods";
import { asProblem } from "@/bridge/problem";
import type { GoalCard, Problem, PruneInput, ResumeInput } from "@/bridge/types";
import { downloadText } from "@/lib/download";
import { clip, oneLine, stripControl } from "@/lib/text";
import type { AppCore } from "./core";
import { asksUser, questionIn } from "./goalcards";
import { withoutCard } from "./goals";
import type { SettingsActions } from "./settingsactions";
import type { WorkspaceActions } from "./workspaceactions";

const keepLimits: ResumeInput = {
  note: "",
  protected: "",
  wall_clock_ms: 0,
  iterations: 0,
  claims_per_check: 0,
  tokens: 0,
  usd: 0,
};

/** Actions on goals. */
export class GoalActions {
  constructor(
    private readonly core: AppCore,
    private readonly settings: SettingsActions,
    private readonly workspaces: WorkspaceActions,
  ) {}

  async runDemo(): Promise<void> {
    const out = await this.core.ask("GoalAPI.Demo");
    if (!out) return;
    void this.settings.markWelcomed();
    this.workspaces.addGoal(out.goal_id);
    this.core.watchGoal(out.goal_id);
    this.workspaces.showGoal(out.goal_id);
  }

  /** Shows what has happened since a time. */
  showDigest(since: Date): void {
    this.core.set({ digestSince: since.toISOString() });
  }

  /** Shows what happened while the user was away, if anything needs them or has ended. */
  async greet(since: Date): Promise<void> {
    if (this.core.state.route === "welcome") return;
    const digest = await this.core.bridge.call("GoalAPI.Digest", since.toISOString()).catch(() => null);
    const parts = [digest?.needs_you, digest?.failed, digest?.done];
    if (parts.some((goals) => (goals ?? []).length > 0)) this.showDigest(since);
  }

  /** Gives the user a goal as one file that opens without Goalpost. */
  async export(id: string): Promise<void> {
    const out = await this.core.ask("ExportAPI.HTML", id);
    if (!out) return;
    downloadText(out.name, "text/html", out.html);
    const leftOut = (out.left_out ?? []).length > 0 ? ", without what would make it larger than 20 MB" : "";
    this.core.notices.done(`Exported as ${out.name}${leftOut}`);
  }

  async pause(id: string): Promise<void> {
    if (await this.core.ask("GoalAPI.Pause", id)) this.core.notices.done("Pausing after the current step…");
  }

  /** Continues a stopped goal; missing values stay as they are. */
  async resume(id: string, part: Partial<ResumeInput> = {}): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resume(id, { ...part, ...more });
    return this.continueGoal(id, resume, "GoalAPI.Resume", id, { ...keepLimits, ...part });
  }

  /**
   * Continues a goal after a click without an answer. A goal that waits for the user leads to the question
   * instead, so that no question is skipped by accident.
   */
  async resumeOrAnswer(card: GoalCard): Promise<void> {
    if (asksUser(card)) {
      this.core.set({ approvalsOpen: true });
      return;
    }
    const question = questionIn(card);
    if (!question) {
      await this.resume(card.id);
      return;
    }
    this.core.confirm({
      title: "The agent waits for your answer",
      text: question,
      yes: "Answer…",
      danger: false,
      run: () => this.core.openGoal(card.id),
      other: {
        label: "Continue without an answer",
        run: async () => {
          await this.resume(card.id);
        },
      },
    });
  }

  /** Reopens a done goal. */
  async reopen(id: string, part: Partial<ResumeInput>): Promise<boolean> {
    const reopen = (more: Partial<ResumeInput>) => this.reopen(id, { ...part, ...more });
    return this.continueGoal(id, reopen, "GoalAPI.Reopen", id, { ...keepLimits, ...part });
  }

  async accept(id: string): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resume(id, more);
    return this.continueGoal(id, resume, "GoalAPI.Accept", id);
  }

  async reject(id: string, note: string): Promise<boolean> {
    const resume = (more: Partial<ResumeInput>) => this.resume(id, { note, ...more });
    return this.continueGoal(id, resume, "GoalAPI.Reject", id, note);
  }

  /** Continues a goal. If the user must decide about protected files first, the goal shows that. */
  private async continueGoal<M extends "GoalAPI.Resume" | "GoalAPI.Reopen" | "GoalAPI.Accept" | "GoalAPI.Reject">(
    id: string,
    decided: (part: Partial<ResumeInput>) => Promise<boolean>,
    method: M,
    ...args: Parameters<Methods[M]>
  ): Promise<boolean> {
    try {
      const ok = await this.core.bridge.call(method, ...args);
      if (this.core.state.protectedChanged?.id === id) this.core.set({ protectedChanged: null });
      return ok;
    } catch (reason) {
      const problem = asProblem(reason);
      if (problem.code === "protected_changed") {
        this.core.set({ protectedChanged: { id, message: problem.message, resume: decided } });
        this.core.notices.problem({ ...problem, hint: "Open the goal to keep the change or put it back." });
      } else {
        this.core.notices.problem(problem);
      }
      return false;
    }
  }

  /** Deletes ended goals, after showing how many there are. */
  async prune(input: PruneInput): Promise<void> {
    const found = await this.core.ask("GoalAPI.Prunable", input);
    if (!found) return;
    if (found.goals === 0) {
      this.core.notices.done("No goals to delete");
      return;
    }
    this.core.confirm({
      title: found.goals === 1 ? "Delete this goal?" : `Delete ${found.goals} goals?`,
      text: "Steps, evidence and receipts are permanently deleted. Files in the folders stay.",
      yes: "Delete",
      danger: true,
      run: async () => {
        const gone = await this.core.ask("GoalAPI.Prune", input);
        if (!gone) return;
        this.core.notices.done(gone.goals === 1 ? "1 goal deleted" : `${gone.goals} goals deleted`);
        await this.core.sync.loadGoals();
        const { id } = this.core.state.detail;
        if (id && !(id in this.core.state.goals.byId)) this.core.sync.select("");
      },
    });
  }

  async steer(id: string, text: string): Promise<boolean> {
    const ok = (await this.core.ask("GoalAPI.Steer", id, text)) ?? false;
    if (ok) this.core.notices.done("Note sent. The agent reads it before its next turn.");
    return ok;
  }

  /** Adds a goal to the selection, or removes it. */
  toggleMark(id: string): void {
    const { marked } = this.core.state;
    this.core.set({ marked: marked.includes(id) ? marked.filter((m) => m !== id) : [...marked, id] });
  }

  /** Adds goals to the selection; if all of them are in it, removes them. */
  toggleMarks(ids: readonly string[]): void {
    const { marked } = this.core.state;
    const others = marked.filter((m) => !ids.includes(m));
    this.core.set({ marked: ids.every((id) => marked.includes(id)) ? others : [...others, ...ids] });
  }

  async pauseAll(cards: readonly GoalCard[]): Promise<void> {
    const done = await this.each(cards, "paused", (id) => this.core.bridge.call("GoalAPI.Pause", id));
    if (done > 0) this.core.notices.done(`Pausing ${done} of ${cards.length} after their current step…`);
  }

  /** Continues stopped goals. Those that wait for an answer are not among them. */
  async resumeAll(cards: readonly GoalCard[]): Promise<void> {
    const resumed = await this.each(cards, "resumed", (id) => this.core.bridge.call("GoalAPI.Resume", id, keepLimits));
    if (resumed > 0) this.core.notices.done(resumed === 1 ? "1 goal resumed" : `${resumed} goals resumed`);
  }

  /** Continues goals that are at a limit, each with its own new limits. */
  async raiseAll(cards: readonly GoalCard[], limits: ReadonlyMap<string, Partial<ResumeInput>>): Promise<void> {
    const resumed = await this.each(cards, "resumed", (id) =>
      this.core.bridge.call("GoalAPI.Resume", id, { ...keepLimits, ...limits.get(id) }),
    );
    if (resumed > 0) this.core.notices.done(resumed === 1 ? "1 goal resumed" : `${resumed} goals resumed`);
  }

  abortAll(cards: readonly GoalCard[]): void {
    this.core.confirm({
      title: cards.length === 1 ? "Abort this goal?" : `Abort ${cards.length} goals?`,
      text: `Work stops immediately. Changed files stay as they are.\n${objectives(cards)}`,
      yes: "Abort",
      danger: true,
      run: async () => {
        await this.each(cards, "aborted", (id) => this.core.bridge.call("GoalAPI.Abort", id));
      },
    });
  }

  deleteAll(cards: readonly GoalCard[]): void {
    this.core.confirm({
      title: cards.length === 1 ? "Delete this goal?" : `Delete ${cards.length} goals?`,
      text: `Steps, evidence and receipts are permanently deleted. Files in the folders stay.\n${objectives(cards)}`,
      yes: "Delete",
      danger: true,
      run: async () => {
        await this.each(cards, "deleted", async (id) => {
          await this.core.bridge.call("GoalAPI.Delete", id);
          this.forget(id);
        });
      },
    });
  }

  /** Does something with several goals, and says of each one that failed why. Returns how many did not fail. */
  private async each(cards: readonly GoalCard[], done: string, act: (id: string) => Promise<unknown>): Promise<number> {
    const tries = cards.map(async (card): Promise<Problem | null> => {
      try {
        await act(card.id);
        return null;
      } catch (reason) {
        const problem = asProblem(reason);
        return { ...problem, message: `${named(card)}: ${problem.message}` };
      }
    });
    const failed = (await Promise.all(tries)).filter((p) => p !== null);
    const [first] = failed;
    if (first && failed.length === 1) this.core.notices.problem(first);
    else if (first) {
      this.core.notices.problem({
        ...first,
        message: `${failed.length} of ${cards.length} goals were not ${done}`,
        hint: failed.map((p) => `• ${[p.message, p.hint].filter(Boolean).join(" ")}`).join("\n"),
      });
    }
    return cards.length - failed.length;
  }

  abort(id: string): void {
    this.core.confirm({
      title: "Abort this goal?",
      text: "The agent stops immediately. Files that it changed stay as they are.",
      yes: "Abort goal",
      danger: true,
      run: async () => {
        await this.core.ask("GoalAPI.Abort", id);
      },
    });
  }

  delete(id: string): void {
    this.core.confirm({
      title: "Delete this goal?",
      text: "This permanently deletes its steps, evidence and receipt. Files in its folder stay.",
      yes: "Delete goal",
      danger: true,
      run: () => this.deleteNow(id),
    });
  }

  private async deleteNow(id: string): Promise<void> {
    if (await this.core.ask("GoalAPI.Delete", id)) this.forget(id);
  }

  /** Removes a deleted goal from the page. */
  private forget(id: string): void {
    if (this.core.state.detail.id === id) this.core.sync.select("");
    this.core.store.setState((s) => ({
      goals: withoutCard(s.goals, id),
      marked: s.marked.filter((m) => m !== id),
    }));
  }
}

/** The objective of a goal in one short line. */
function named(card: GoalCard): string {
  return stripControl(clip(oneLine(card.objective), 80));
}

/** The objectives of the first of some goals, one per line. */
function objectives(cards: readonly GoalCard[]): string {
  const most = 8;
  const lines = cards.slice(0, most).map((c) => `• ${named(c)}`);
  if (cards.length > most) lines.push(`and ${cards.length - most} more`);
  return lines.join("\n");
}
