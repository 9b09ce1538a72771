import type { GoalCard } from "@/bridge/types";
import { shortPath, stripControl } from "@/lib/text";
import { groupOf, groups, groupTitle, type Group } from "@/store/goalcards";

export const groupings = { status: "By status", folder: "By folder", none: "No groups" } as const;
export const orders = {
  newest: "Newest first",
  needs_you: "Needs you first",
  name: "Name",
  checks: "Most checks passed",
  elapsed: "Longest first",
  cost: "Highest cost",
  folder: "Folder",
  model: "Model",
} as const;

export type Grouping = keyof typeof groupings;
export type Order = keyof typeof orders;

/** How the goals are grouped and sorted, and what else the page shows of them. */
export interface ListView {
  grouping: Grouping;
  order: Order;
  /** The order turned around. */
  reversed: boolean;
  /** The groups whose goals are folded away: statuses and folders. */
  closed: readonly string[];
  /** The fleet strip is above the table. */
  strip: boolean;
}

/** The head of a group. */
export interface HeadLine {
  kind: "head";
  id: string;
  title: string;
  count: number;
  usd: number;
  isClosed: boolean;
}

/** A goal; its depth is 1 if it is below the goal that it works for, 2 below that one, and so on. */
export interface CardLine {
  kind: "card";
  card: GoalCard;
  depth: number;
}

/** A row of the list: the head of a group, or a goal. */
export type ListLine = HeadLine | CardLine;

const storageKey = "goalpost.goal-list";
export const usualView: ListView = { grouping: "status", order: "newest", reversed: false, closed: [], strip: true };
/** How many folded groups are remembered: folders come and go. */
const maxClosed = 200;

/** The stored order. Values of other versions that this version does not know are ignored. */
export function savedListView(storage: Storage): ListView {
  try {
    const saved = JSON.parse(storage.getItem(storageKey) ?? "{}") as Partial<Record<keyof ListView, unknown>>;
    return {
      grouping: (Object.keys(groupings) as Grouping[]).find((g) => g === saved.grouping) ?? usualView.grouping,
      order: (Object.keys(orders) as Order[]).find((o) => o === saved.order) ?? usualView.order,
      reversed: saved.reversed === true,
      closed: Array.isArray(saved.closed) ? saved.closed.filter((id) => typeof id === "string") : [],
      strip: saved.strip !== false,
    };
  } catch {
    return usualView;
  }
}

/** The view with a group folded, or unfolded again. */
export function withToggled(view: ListView, group: string): ListView {
  const others = view.closed.filter((id) => id !== group);
  const isClosed = others.length < view.closed.length;
  return { ...view, closed: isClosed ? others : [...others, group].slice(-maxClosed) };
}

export function saveListView(storage: Storage, view: ListView): void {
  try {
    storage.setItem(storageKey, JSON.stringify(view));
  } catch {
    // If the storage is full or forbidden, the order lasts until the page is closed.
  }
}

type Comparison = (a: GoalCard, b: GoalCard) => number;

const newest: Comparison = (a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0);
const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const passed = (card: GoalCard) => (card.checks > 0 ? card.checks_passed / card.checks : 0);

/** The agent that drives a goal and its model, as far as they are known. */
export const driverOf = (card: Pick<GoalCard, "engine" | "model" | "scripted">): string =>
  card.scripted ? "no AI" : [card.engine, card.model].filter(Boolean).join(" · ");

const comparisons: Record<Order, Comparison> = {
  newest,
  needs_you: (a, b) => groups.indexOf(groupOf(a)) - groups.indexOf(groupOf(b)),
  name: (a, b) => byName.compare(a.objective, b.objective),
  checks: (a, b) => passed(b) - passed(a),
  elapsed: (a, b) => b.spent_ms - a.spent_ms,
  cost: (a, b) => b.usd - a.usd,
  folder: (a, b) => byName.compare(a.dir ?? "", b.dir ?? ""),
  model: (a, b) => byName.compare(driverOf(a), driverOf(b)),
};

/** The comparison of a view. Goals that are equal stay newest first, also in the reversed order. */
function comparison({ order, reversed }: ListView): Comparison {
  const compare = comparisons[order];
  const sign = reversed ? -1 : 1;
  return (a, b) => sign * compare(a, b) || newest(a, b);
}

interface Part {
  id: string;
  title: string;
  cards: GoalCard[];
}

const costOf = (part: Part) => part.cards.reduce((sum, c) => sum + c.usd, 0);

/** A folder as users read it. */
export const folderName = (dir: string): string => stripControl(shortPath(dir)) || "No folder";

/** The groups of sorted cards: statuses in a fixed order, folders by their first goal. */
function partsOf(cards: readonly GoalCard[], { grouping, order, reversed }: ListView): Part[] {
  if (grouping === "none") return [{ id: "", title: "", cards: [...cards] }];
  const parts = new Map<string, Part>();
  for (const card of cards) {
    const id = grouping === "status" ? groupOf(card) : (card.dir ?? "");
    const part = parts.get(id) ?? { id, title: "", cards: [] };
    part.cards.push(card);
    parts.set(id, part);
  }
  const all = [...parts.values()];
  if (grouping === "status") {
    for (const part of all) part.title = groupTitle[part.id as Group];
    return all.sort((a, b) => groups.indexOf(a.id as Group) - groups.indexOf(b.id as Group));
  }
  for (const part of all) part.title = folderName(part.id);
  const sign = reversed ? -1 : 1;
  if (order === "name") all.sort((a, b) => sign * byName.compare(a.title, b.title));
  if (order === "cost") all.sort((a, b) => sign * (costOf(b) - costOf(a)));
  return all;
}

/** The goals of a part, each above those that work for it, as far as they are in the same part. */
function asTree(cards: readonly GoalCard[]): CardLine[] {
  const ids = new Set(cards.map((c) => c.id));
  const below = new Map<string, GoalCard[]>();
  for (const card of cards) {
    const parent = card.parent && ids.has(card.parent) ? card.parent : "";
    const others = below.get(parent);
    if (others) others.push(card);
    else below.set(parent, [card]);
  }
  const linesBelow = (parent: string, depth: number): CardLine[] =>
    (below.get(parent) ?? []).flatMap((card) => [{ kind: "card", card, depth }, ...linesBelow(card.id, depth + 1)]);
  return linesBelow("", 0);
}

/** The rows of the list. */
export function listLines(cards: readonly GoalCard[], view: ListView): ListLine[] {
  const sorted = [...cards].sort(comparison(view));
  return partsOf(sorted, view).flatMap((part): ListLine[] => {
    const goals = asTree(part.cards);
    if (!part.title) return goals;
    const isClosed = view.closed.includes(part.id);
    const head: HeadLine = {
      kind: "head",
      id: part.id,
      title: part.title,
      count: part.cards.length,
      usd: costOf(part),
      isClosed,
    };
    return isClosed ? [head] : [head, ...goals];
  });
}
