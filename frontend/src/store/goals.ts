import type { GoalCard, GoalEvent, GoalList } from "@/bridge/types";
import { asksUser, cardAfterEvent, groupOf, groups, type Group } from "./goalcards";

/** A card and the local time of its spent time, from which running time is counted. */
export interface KnownCard {
  card: GoalCard;
  asOf: number;
}

export interface GoalsState {
  byId: Readonly<Record<string, KnownCard>>;
  /** Number of all goals in the store, including those not loaded yet. */
  total: number;
  loaded: boolean;
  /**
   * Goals with a missing or outdated snapshot, with the newest reported seq of each. They are requested until an
   * answer includes it.
   */
  stale: Readonly<Record<string, number>>;
}

export const noGoals: GoalsState = { byId: {}, total: 0, loaded: false, stale: {} };

/**
 * A page of the list. The first page starts the list again: cards that were known when it was requested (`before`)
 * and that it lacks are deleted goals. Cards that arrived since are newer than the list.
 */
export function withPage(
  state: GoalsState,
  page: GoalList,
  before: GoalsState["byId"] | null,
  now: number,
): GoalsState {
  const kept = Object.entries(state.byId).filter(([id]) => !before || !(id in before));
  const byId = Object.fromEntries(kept);
  for (const card of page.goals ?? []) {
    const known = state.byId[card.id];
    byId[card.id] = known && known.card.seq > card.seq ? known : { card, asOf: now };
  }
  return { byId, total: Math.max(page.total, Object.keys(byId).length), loaded: true, stale: state.stale };
}

/** One card from its own snapshot. */
export function withCard(state: GoalsState, card: GoalCard, now: number): GoalsState {
  const known = state.byId[card.id];
  const stale = (state.stale[card.id] ?? 0) > card.seq ? state.stale : without(state.stale, card.id);
  if (known && known.card.seq > card.seq) return { ...state, stale };
  return {
    ...state,
    byId: { ...state.byId, [card.id]: { card, asOf: now } },
    total: known ? state.total : state.total + 1,
    stale,
  };
}

export function withoutCard(state: GoalsState, id: string): GoalsState {
  const stale = without(state.stale, id);
  if (!(id in state.byId)) return { ...state, stale };
  return { ...state, byId: without(state.byId, id), total: Math.max(0, state.total - 1), stale };
}

function without<T>(all: Readonly<Record<string, T>>, id: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).filter(([known]) => known !== id));
}

/** After these events, only a snapshot has what the goal proves in words, and what its checks say now. */
const needsSnapshot = new Set<GoalEvent["type"]>([
  "started",
  "resumed",
  "reopened",
  "paused",
  "ended",
  "accepted",
  "changes_undone",
  "taken",
  "rechecked",
]);

/** Applies the next event of a goal; drops old ones; marks the goal stale on a gap or when it is unknown. */
export function withEvent(state: GoalsState, event: GoalEvent, now = Date.now()): GoalsState {
  if (event.seq === undefined) return state;
  const known = state.byId[event.goal_id];
  if (!known) return withApprovalCount(state, event.goal_id, event.seq);
  if (event.seq <= known.card.seq) return state;
  if (event.seq > known.card.seq + 1) return withApprovalCount(state, event.goal_id, event.seq);
  const card = cardAfterEvent(known.card, event);
  const changed = isCounted(known.card) !== isCounted(card);
  const after = changed ? { card: { ...card, spent_ms: elapsedNow(known, now) }, asOf: now } : { ...known, card };
  const next = { ...state, byId: { ...state.byId, [event.goal_id]: after } };
  return needsSnapshot.has(event.type) ? withApprovalCount(next, event.goal_id, event.seq) : next;
}

function withApprovalCount(state: GoalsState, id: string, seq: number): GoalsState {
  return { ...state, stale: { ...state.stale, [id]: seq } };
}

/** The goals of each group, newest first. */
export function grouped(cards: Iterable<GoalCard>): Record<Group, GoalCard[]> {
  const out: Record<Group, GoalCard[]> = {
    needs_you: [],
    running: [],
    queued: [],
    paused: [],
    done: [],
    failed: [],
    aborted: [],
  };
  for (const card of cards) out[groupOf(card)].push(card);
  for (const list of Object.values(out)) list.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  return out;
}

/** The counts of all goals for the window. */
export interface Summary {
  by: Record<Group, GoalCard[]>;
  spent: number;
}

const summaries = new WeakMap<GoalsState["byId"], Summary>();

/** The summary of all goals, computed once for each state. */
export function summary(byId: GoalsState["byId"]): Summary {
  let s = summaries.get(byId);
  if (!s) {
    const cards = Object.values(byId).map((k) => k.card);
    s = { by: grouped(cards), spent: cards.reduce((sum, c) => sum + c.usd, 0) };
    summaries.set(byId, s);
  }
  return s;
}

/** The goal to select first: the newest of the first group that is not empty, `""` without goals. */
export function firstGoal(byId: GoalsState["byId"], only: readonly Group[] = groups): string {
  const { by } = summary(byId);
  return only.map((g) => by[g][0]?.id).find((id) => id !== undefined) ?? "";
}

/** Reports whether time passes for the goal's limit: it runs, and does not wait for its user. */
export function isCounted(card: Pick<GoalCard, "status" | "asks">): boolean {
  return card.status === "running" && !asksUser(card);
}

/** The time spent so far: that of the snapshot or the last change, plus the time since then while it is counted. */
export function elapsedNow(known: KnownCard, now: number): number {
  const since = isCounted(known.card) ? Math.max(0, now - known.asOf) : 0;
  return known.card.spent_ms + since;
}
