import type { GoalCard } from "@/bridge/types";
import { clip, oneLine, stripControl } from "@/lib/text";
import { groupOf, groups, groupTitle, type Group } from "@/store/goalcards";
import { driverOf, folderName } from "./listorder";

/** The status that the list is limited to; "" shows all goals. */
export type StatusChoice = Group | "";

/** What happened to a goal today: it ended done or failed, or it cost something; "" for any goal. */
export type TodayChoice = "" | "finished" | "spent";

/** What a goal must have to be shown. */
export interface GoalFilter {
  status: StatusChoice;
  /** Its folder must be one of these, and its engine and model one of those; an empty list allows all. */
  folders: readonly string[];
  models: readonly string[];
  today: TodayChoice;
}

export const noFilter: GoalFilter = { status: "", folders: [], models: [], today: "" };

/** What the choices about today need: when it began, and which goals cost something since; null if it is not known. */
export interface Day {
  since: number;
  spenders: ReadonlySet<string> | null;
}

type Dimension = "status" | "folders" | "models";
const dimensions: readonly Dimension[] = ["status", "folders", "models"];

/** The goals that a filter shows, and how many goals each choice has among those that the other choices show. */
export interface Filtered {
  shown: readonly GoalCard[];
  counts: Readonly<Record<Dimension, ReadonlyMap<string, number>>>;
}

/** The beginning of a day, in the zone of the page. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** Reports whether a goal has ended done or failed since a time. What the user aborted is neither. */
export function hasFinished(card: GoalCard, since: number): boolean {
  const group = groupOf(card);
  return (group === "done" || group === "failed") && Date.parse(card.ended_at) >= since;
}

function isOfToday(card: GoalCard, choice: TodayChoice, day: Day): boolean {
  if (choice === "finished") return hasFinished(card, day.since);
  return choice === "" || (day.spenders?.has(card.id) ?? card.usd > 0);
}

function allows(filter: GoalFilter, dimension: Dimension, value: string): boolean {
  if (dimension === "status") return filter.status === "" || filter.status === value;
  return filter[dimension].length === 0 || filter[dimension].includes(value);
}

export function filterGoals(cards: readonly GoalCard[], filter: GoalFilter, day: Day): Filtered {
  const shown: GoalCard[] = [];
  const counts = {
    status: new Map<string, number>(),
    folders: new Map<string, number>(),
    models: new Map<string, number>(),
  };
  for (const card of cards) {
    if (!isOfToday(card, filter.today, day)) continue;
    const has = { status: groupOf(card), folders: card.dir ?? "", models: driverOf(card) };
    const refused = dimensions.filter((d) => !allows(filter, d, has[d]));
    if (refused.length === 0) shown.push(card);
    for (const d of dimensions) {
      if (refused.every((other) => other === d)) counts[d].set(has[d], (counts[d].get(has[d]) ?? 0) + 1);
    }
  }
  return { shown, counts };
}

/** An engine and model as users read them. */
export const modelName = (driver: string): string => stripControl(driver) || "No model";

const todayTitle: Record<TodayChoice, string> = { "": "", finished: "finished today", spent: "spent today" };

/** Names everything that hides goals. */
export function describeFilter(filter: GoalFilter, search: string): string[] {
  const words = oneLine(search);
  const { folders, models } = filter;
  return [
    words ? `search “${stripControl(clip(words, 40))}”` : "",
    filter.status ? `status ${groupTitle[filter.status]}` : "",
    folders.length > 0 ? `folder ${folders.map(folderName).join(" or ")}` : "",
    models.length > 0 ? `model ${models.map(modelName).join(" or ")}` : "",
    todayTitle[filter.today],
  ].filter(Boolean);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === "string") : [];

/** A stored filter. Choices of other versions that this version does not know are left out. */
export function parseFilter(saved: Partial<Record<keyof GoalFilter, unknown>>): GoalFilter {
  return {
    status: groups.find((g) => g === saved.status) ?? "",
    folders: texts(saved.folders),
    models: texts(saved.models),
    today: saved.today === "finished" || saved.today === "spent" ? saved.today : "",
  };
}

const storageKey = "goalpost.goal-filter";

export function storedFilter(storage: Storage): GoalFilter {
  try {
    return parseFilter(JSON.parse(storage.getItem(storageKey) ?? "{}") as Partial<GoalFilter>);
  } catch {
    return noFilter;
  }
}

export function storeFilter(storage: Storage, filter: GoalFilter): void {
  try {
    storage.setItem(storageKey, JSON.stringify(filter));
  } catch {
    // If the storage is full or forbidden, the filter lasts until the page is closed.
  }
}
