import type { Bridge } from "@/bridge/bridge";
import type { EventLink } from "@/bridge/events";
import { asProblem } from "@/bridge/problem";
import type { ChatUpdate, GoalEvent, OpenChat, Problem } from "@/bridge/types";
import { isPhone } from "@/lib/viewer";
import type { StoreApi } from "zustand/vanilla";
import { shownChat, withChatEvent, withOpenChat, type ShownChat } from "./chats";
import { lastGoal } from "./drawers";
import { emptyDetail, withGoalEvent, withJournalPage, withSteps, withView, type DetailState } from "./goaldetail";
import { firstGoal, withCard, withEvent, withoutCard, withPage } from "./goals";
import { withPaneEvent, withPaneList } from "./panes";
import type { AppState } from "./state";
import { withStreamed } from "./streamedtext";
import { TextPace } from "./textpace";

const listPage = 500;
const stepPage = 500;
const eventPage = 500;
const retryMs = 2_000;
/** After these events, the list of waiting requests may have changed. */
const pendingCalls = new Set(["approval_requested", "approval_resolved", "grant_ended", "paused", "resumed", "ended"]);

/**
 * Keeps the store in step with Go: subscribes, loads the snapshots after
 * `hello`, applies events, and reloads what has a gap. Events are applied
 * once per frame, and streamed text less often, so that a fast model leaves
 * the page time for the user's keys.
 */
export class Sync {
  private readonly queue: GoalEvent[] = [];
  private readonly chatQueue: ChatUpdate[] = [];
  private frame = 0;
  private textTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly pace = new TextPace();
  private readonly onKey = (e: KeyboardEvent) => this.pace.key(e.timeStamp);
  private detailRun = 0;
  private listRun = 0;
  private approvalRun = 0;
  private readonly asking = new Set<string>();
  private link: EventLink | null = null;
  private lookedAt = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Called when the settings may be others than the page has. */
  onSettings: () => void = () => undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: StoreApi<AppState>,
    private readonly report: (problem: Problem) => void,
  ) {}

  start(): void {
    window.addEventListener("keydown", this.onKey, true);
    this.link = this.bridge.events({
      hello: () => {
        this.store.setState((s) => ({ link: "open", streamed: {}, schedulesRevision: s.schedulesRevision + 1 }));
        this.refresh();
      },
      goal: (event) => {
        this.queue.push(event);
        this.flushSoon(event.type === "delta");
      },
      settings: () => this.onSettings(),
      schedules: () => this.store.setState((s) => ({ schedulesRevision: s.schedulesRevision + 1 })),
      chat: (event) => {
        this.chatQueue.push(event);
        this.flushSoon(event.type === "chat_delta");
      },
      pane: (event) => {
        this.store.setState((s) => ({ panes: withPaneEvent(s.panes, event) }));
        if (this.store.getState().panes.gap) this.background(this.loadPanes());
      },
      down: () => {
        if (this.store.getState().link !== "login") this.store.setState({ link: "down" });
      },
    });
    this.link.looksAt(this.lookedAt);
  }

  /** Tells the program which goal the user looks at, "" for none. */
  looksAt(goal: string): void {
    this.lookedAt = goal;
    this.link?.looksAt(goal);
  }

  stop(): void {
    window.removeEventListener("keydown", this.onKey, true);
    this.link?.close();
    clearTimeout(this.timer);
    clearTimeout(this.textTimer);
    if (this.frame) cancelAnimationFrame(this.frame);
  }

  /** Loads every snapshot again. */
  refresh(): void {
    this.onSettings();
    this.background(this.loadGoals().then(() => this.selectLive()));
    this.background(this.loadPanes());
    this.background(this.loadApprovals());
    const { detail, chat } = this.store.getState();
    if (detail.id) this.background(this.loadDetail(detail.id));
    if (chat.id) void this.loadChat(chat.id);
  }

  /** Selects a goal at its newest activity. "" selects none and closes the open one. */
  select(id: string): void {
    if (this.store.getState().detail.id === id) return;
    this.detailRun++;
    const closed = id ? {} : { openedGoal: "" };
    this.store.setState({ detail: emptyDetail(id), goalTab: "log", shownStep: 0, ...closed });
    if (id) this.background(this.loadDetail(id));
  }

  /** Selects the goal that this window showed last, or an active one, if the user has not chosen one. */
  private selectLive() {
    const { detail, goals } = this.store.getState();
    if (detail.id) return;
    const last = isPhone() ? "" : lastGoal(localStorage);
    const first = goals.byId[last] ? last : firstGoal(goals.byId, ["running", "needs_you", "queued"]);
    if (first) this.select(first);
  }

  async loadGoals(): Promise<void> {
    const run = ++this.listRun;
    const before = this.store.getState().goals.byId;
    for (let offset = 0; ; offset += listPage) {
      const page = await this.bridge.call("GoalAPI.List", {
        status: "",
        search: "",
        limit: listPage,
        offset,
        resumable: false,
      });
      if (run !== this.listRun) return;
      this.store.setState((s) => ({ goals: withPage(s.goals, page, offset === 0 ? before : null, Date.now()) }));
      const got = page.goals?.length ?? 0;
      if (got === 0 || offset + got >= page.total) return;
    }
  }

  /** Loads the waiting requests and the grants of active goals. */
  async loadApprovals(): Promise<void> {
    const run = ++this.approvalRun;
    const [approvals, grants] = await Promise.all([
      this.bridge.call("ApprovalAPI.List", ""),
      this.bridge.call("ApprovalAPI.Grants", ""),
    ]);
    if (run === this.approvalRun) this.store.setState({ approvals: approvals ?? [], grants: grants ?? [] });
  }

  async loadPanes(): Promise<void> {
    const list = await this.bridge.call("WorkspaceAPI.Panes");
    this.store.setState((s) => ({ panes: withPaneList(s.panes, list) }));
  }

  private async loadDetail(id: string): Promise<void> {
    const run = ++this.detailRun;
    const set = (change: (d: DetailState) => DetailState) => {
      if (run !== this.detailRun) return false;
      this.store.setState((s) => (s.detail.id === id ? { detail: change(s.detail) } : {}));
      return true;
    };
    // The current content stays until the new snapshots replace it.
    set((d) => ({
      ...emptyDetail(id),
      view: null,
      steps: d.stepsLoaded ? [] : d.steps,
    }));
    try {
      const view = await this.bridge.call("GoalAPI.Get", id);
      if (!set((d) => withView(d, view, Date.now()))) return;
      await Promise.all([this.loadSteps(id, set), this.loadJournal(id, set)]);
    } catch (reason) {
      set((d) => ({ ...d, problem: asProblem(reason) }));
    }
  }

  private async loadSteps(id: string, set: (change: (d: DetailState) => DetailState) => boolean): Promise<void> {
    for (let after = 0; ;) {
      const page = await this.bridge.call("GoalAPI.Steps", id, after, stepPage);
      const steps = page.steps ?? [];
      const end = steps[steps.length - 1]?.n ?? after;
      const last = steps.length === 0 || end >= page.total;
      if (!set((d) => withSteps(d, page, last)) || last) return;
      after = end;
    }
  }

  private async loadJournal(id: string, set: (change: (d: DetailState) => DetailState) => boolean): Promise<void> {
    for (let after = 0; ;) {
      const page = await this.bridge.call("GoalAPI.Events", id, after, eventPage);
      const { events } = page;
      const last = !page.more || events.length === 0;
      if (!set((d) => withJournalPage(d, events, last)) || last) return;
      after = events[events.length - 1]?.seq ?? after;
    }
  }

  /** Applies what is queued in the next frame; text that grows waits if the page rests. */
  private flushSoon(isText: boolean) {
    if (this.frame) return;
    const early = isText && !document.hidden ? this.pace.wait(performance.now()) : 0;
    if (early > 0) {
      this.textTimer ??= setTimeout(() => {
        this.textTimer = undefined;
        this.flushSoon(true);
      }, early);
      return;
    }
    clearTimeout(this.textTimer);
    this.textTimer = undefined;
    this.frame = requestAnimationFrame(() => {
      const began = performance.now();
      this.frame = 0;
      const hasText = this.hasText();
      this.flush();
      // A timer that is set in a frame ends after the frame was drawn.
      if (hasText) setTimeout(() => this.pace.drew(began, performance.now()));
    });
    // A hidden page gets no frames, but its badge and its goals must stay correct.
    if (document.hidden) this.flush();
  }

  private hasText(): boolean {
    return this.chatQueue.some((e) => e.type === "chat_delta") || this.queue.some((e) => e.type === "delta");
  }

  /** Shows a chat as Go has read it, if it is still the shown one. */
  chatRead(id: string, read: OpenChat): void {
    this.store.setState((s) => (s.chat.id === id ? { chat: withOpenChat(s.chat, read) } : {}));
  }

  /** Reads a chat and shows it. One that was deleted elsewhere makes way for a new one. */
  async loadChat(id: string): Promise<void> {
    const set = (chat: Partial<ShownChat>) =>
      this.store.setState((s) => (s.chat.id === id ? { chat: { ...s.chat, ...chat } } : {}));
    set({ gap: false, isLoaded: false, waiting: [], problem: null });
    try {
      this.chatRead(id, await this.bridge.call("ChatAPI.Open", id));
    } catch (reason) {
      const problem = asProblem(reason);
      set(problem.code === "not_found" ? shownChat("") : { problem });
    }
  }

  private flushChat() {
    const events = this.chatQueue.splice(0);
    if (events.length === 0) return;
    this.store.setState((s) => ({ chat: events.reduce(withChatEvent, s.chat) }));
    const { chat } = this.store.getState();
    if (chat.gap) void this.loadChat(chat.id);
  }

  private flush() {
    this.flushChat();
    const events = this.queue.splice(0);
    if (events.length === 0) return;
    if (events.some((e) => pendingCalls.has(e.type))) this.background(this.loadApprovals());
    this.store.setState((s) => {
      let { goals, detail, streamed } = s;
      for (const event of events) {
        goals = withEvent(goals, event);
        detail = withGoalEvent(detail, event);
        streamed = withStreamed(streamed, event);
      }
      return { goals, detail, streamed };
    });
    const { goals, detail } = this.store.getState();
    for (const id of Object.keys(goals.stale)) this.background(this.loadCard(id));
    if (detail.gap && detail.id) this.background(this.loadDetail(detail.id));
  }

  /** Loads one goal again; an event during the request leads to one more request. */
  private async loadCard(id: string): Promise<void> {
    if (this.asking.has(id)) return;
    this.asking.add(id);
    const reported = () => this.store.getState().goals.stale[id] ?? 0;
    const before = reported();
    try {
      const view = await this.bridge.call("GoalAPI.Get", id);
      this.store.setState((s) => ({
        goals: withCard(s.goals, view, Date.now()),
        detail: s.detail.id === id && s.detail.view ? withView(s.detail, view, Date.now()) : s.detail,
      }));
    } catch (reason) {
      if (asProblem(reason).code !== "not_found") throw reason;
      this.store.setState((s) => ({ goals: withoutCard(s.goals, id) }));
    } finally {
      this.asking.delete(id);
    }
    if (reported() > before) await this.loadCard(id);
  }

  /** Retries a snapshot that failed; only the first failure is shown. */
  private background(work: Promise<void>) {
    work.catch((reason: unknown) => {
      if (this.store.getState().link !== "open") return;
      this.report(asProblem(reason));
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), retryMs);
    });
  }
}
