import type { Bridge } from "@/bridge/bridge";
import type { Method, Methods } from "@/bridge/methods";
import { asProblem } from "@/bridge/problem";
import type { GoalRequest, Problem, ScheduleView } from "@/bridge/types";
import type { HelpTarget } from "@/lib/helppages";
import { createStore, type StoreApi } from "zustand/vanilla";
import { initialState, type AppState, type ConfirmRequest, type GoalTab, type Route } from "./state";
import { Sync } from "./sync";

/** Shows a short message to the user. */
export interface Notifier {
  problem(problem: Problem): void;
  /** `action` is a button beside the text, shown for ten seconds. */
  done(text: string, action?: { label: string; run: () => void }): void;
}

/** The common base of all actions: the state, the calls to Go, and navigation in the window. */
export class AppCore {
  readonly store: StoreApi<AppState> = createStore<AppState>(() => ({ ...initialState }));
  readonly sync: Sync;
  /** Number of calls of each method by `newest`. */
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

  set(part: Partial<AppState>): void {
    this.store.setState(part);
  }

  /** Calls Go and shows a failure; `undefined` means that the call failed and was reported. */
  async ask<M extends Method>(method: M, ...args: Parameters<Methods[M]>): Promise<ReturnType<Methods[M]> | undefined> {
    try {
      return await this.bridge.call(method, ...args);
    } catch (reason) {
      this.notices.problem(asProblem(reason));
      return undefined;
    }
  }

  /**
   * The same, but only the newest call counts, since answers arrive in any order. Also returns `undefined` for an older
   * call.
   */
  async newest<M extends Method>(method: M, ...args: Parameters<Methods[M]>) {
    const n = (this.asked.get(method) ?? 0) + 1;
    this.asked.set(method, n);
    const answer = await this.ask(method, ...args);
    return this.asked.get(method) === n ? answer : undefined;
  }

  go(route: Route): void {
    this.set({ route });
  }

  /** Shows a page, section or row of the settings, by its title. */
  openSettings(title: string): void {
    this.set({ route: "settings", settingsAt: { title, isNew: true } });
  }

  /** Shows a goal in the dashboard, with the given or the current tab. */
  openGoal(id: string, tab?: GoalTab): void {
    this.sync.select(id);
    this.set({ route: "goals", openedGoal: id, shownStep: 0, shownFile: "", ...(tab ? { goalTab: tab } : {}) });
  }

  /** Shows the changes of a goal in one file. */
  openChanges(id: string, path: string): void {
    this.openGoal(id, "changes");
    this.set({ shownFile: path });
  }

  /** Shows the dashboard; on a phone, the list of goals. */
  showGoals(): void {
    this.set({ route: "goals", openedGoal: "" });
  }

  /** Shows one step of a goal, opened. */
  openStep(id: string, step: number): void {
    this.sync.select(id);
    this.set({ route: "goals", openedGoal: id, shownStep: step, goalTab: "log" });
  }

  /** Shows a goal beside the workspace. */
  watchGoal(id: string): void {
    this.sync.select(id);
    this.set({ route: "workspace", drawer: true, ownDrawer: true, chatOpen: false });
  }

  /** Ctrl+Shift+G: opens the dashboard with the dialog; pressed again, it closes both. */
  toggleGoals(): void {
    if (this.state.route === "goals") this.set({ route: "workspace", newGoal: { open: false, from: null } });
    else this.set({ route: "goals", newGoal: { open: true, from: null } });
  }

  newGoal(from: Partial<GoalRequest> | null = null): void {
    this.set({ newGoal: { open: true, from }, newGoalChat: "", newGoalTemplate: "" });
  }

  /** Opens the form of New goal with the goal of a schedule, to change it. */
  changeGoalOf(schedule: ScheduleView): void {
    this.newGoal(schedule.request);
    this.set({ newGoal: { open: true, from: schedule.request, schedule: schedule.id } });
  }

  /** Opens New goal with the fields of a template. */
  newGoalFrom(template: string): void {
    this.newGoal();
    this.set({ newGoalTemplate: template });
  }

  closeNewGoal(): void {
    this.set({ newGoal: { open: false, from: null }, newGoalTemplate: "" });
  }

  openHelp(help: HelpTarget): void {
    this.set({ help });
  }

  closeHelp(): void {
    this.set({ help: null });
  }

  confirm(question: ConfirmRequest): void {
    this.set({ question });
  }
}
