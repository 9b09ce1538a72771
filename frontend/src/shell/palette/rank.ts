import { defaultFilter } from "cmdk";

export type EntryKind = "action" | "goal" | "pane" | "file" | "setting" | "server" | "model" | "help" | "section";

/** One thing that the palette finds, whatever it is. */
export interface Entry {
  /** Stays the same over restarts, for the entries that were used last. */
  id: string;
  kind: EntryKind;
  title: string;
  /** Other words that users type for it. */
  words: readonly string[];
  /** What is shown beside the title: a status, a folder, a section. */
  note: string;
  /** The icon of a page, as its pane has it. */
  icon?: string;
  /** The keys that do the same. */
  keys: readonly string[];
  run: () => unknown;
}

/** What the user typed, after a prefix that selects one kind. */
interface Query {
  text: string;
  only: EntryKind | null;
}

export const prefixes: readonly { prefix: string; kind: EntryKind; label: string }[] = [
  { prefix: ">", kind: "action", label: "actions" },
  { prefix: "@", kind: "goal", label: "goals" },
  { prefix: "#", kind: "pane", label: "panes" },
  { prefix: "/", kind: "file", label: "files" },
];

export function parseQuery(typed: string): Query {
  const chosen = prefixes.find((p) => typed.trimStart().startsWith(p.prefix));
  return chosen ? { text: typed.trimStart().slice(1).trim(), only: chosen.kind } : { text: typed.trim(), only: null };
}

/** Breaks ties between equal matches. It is too small to put a weak match before a strong one. */
const weights: Record<EntryKind, number> = {
  action: 1,
  pane: 0.98,
  goal: 0.97,
  server: 0.96,
  model: 0.95,
  setting: 0.93,
  file: 0.9,
  help: 0.85,
  section: 0.8,
};

/** Words that are found apart are worth a little less than a phrase as typed. */
const wordsApart = 0.95;
/** How much more the entry is worth that was used last; the others that were used, less. */
const recentBonus = 0.15;
/** Matches that are this much weaker than the best one are letters by chance. */
const noise = 0.1;

function scoreWord(entry: Entry, word: string): number {
  return Math.max(...[entry.title, ...entry.words].map((w) => defaultFilter(w, word)));
}

function score(entry: Entry, text: string, recent: readonly string[]): number {
  const parts = text.split(/\s+/);
  // Words in any order count as the weakest of them; a phrase as typed counts more.
  const apart = parts.length > 1 ? wordsApart * Math.min(...parts.map((p) => scoreWord(entry, p))) : 0;
  const used = recent.indexOf(entry.id);
  const bonus = used < 0 ? 1 : 1 + recentBonus / (used + 1);
  return Math.max(scoreWord(entry, text), apart) * weights[entry.kind] * bonus;
}

/**
 * The entries that match, best first, whatever their kind. `recent` are the ids that were used last, newest first;
 * without a text they come first, and the others keep their order.
 */
export function rank(entries: readonly Entry[], { text, only }: Query, recent: readonly string[]): readonly Entry[] {
  const wanted = only ? entries.filter((e) => e.kind === only) : entries;
  if (text === "") {
    const used = recent.flatMap((id) => wanted.find((e) => e.id === id) ?? []);
    return [...used, ...wanted.filter((e) => !recent.includes(e.id))];
  }
  const found = wanted.map((entry) => ({ entry, score: score(entry, text, recent) })).sort((a, b) => b.score - a.score);
  const best = found[0]?.score ?? 0;
  return found.filter((f) => f.score > 0 && f.score >= best * noise).map((f) => f.entry);
}
