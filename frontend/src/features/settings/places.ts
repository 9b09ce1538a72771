import { leaderKey, type Action } from "@/lib/actions";
import { keyLabel } from "@/lib/keys";
import { firstPage, keyboardPage, pages, type Page } from "./pages";

/** A page, a section or a row of the settings. Their titles are unique. */
export interface SettingsPlace {
  title: string;
  text: string;
  /** Other words that users type for it. */
  words: readonly string[];
  page: Page;
  /** The title of the section of a row; "" for others. */
  section: string;
}

function placesOf(page: Page): SettingsPlace[] {
  const sections = page.sections.flatMap((section) => [
    ...(section.title ? [{ title: section.title, text: "", words: section.words ?? [], page, section: "" }] : []),
    ...section.rows.map(({ title, text, words = [] }) => ({ title, text, words, page, section: section.title })),
  ]);
  return [{ title: page.title, text: page.text, words: page.words, page, section: "" }, ...sections];
}

export const settingsPlaces: readonly SettingsPlace[] = pages.flatMap(placesOf);

export const firstPlace = firstPage.title;

/** A title as it is in addresses and test ids. */
export const slug = (title: string): string => title.toLowerCase().replace(/[^a-z0-9.]+/g, "-");

const byTitle = new Map(settingsPlaces.map((p) => [p.title, p]));
const bySlug = new Map(settingsPlaces.map((p) => [slug(p.title), p]));

/** The title under which the row of a command is found; its id in an address is as it is here. */
export const commandPlace = (id: string): string => `key-${id}`;

/** The row of a command, if that is a name of one. The row shows whether there is such a command. */
function placeOfCommand(name: string): SettingsPlace | undefined {
  if (!/^key-[a-z0-9.-]+$/.test(name)) return undefined;
  return { title: name, text: "", words: [], page: keyboardPage, section: "" };
}

export const placeWithTitle = (title: string): SettingsPlace | undefined => byTitle.get(title) ?? placeOfCommand(title);

export const placeWithSlug = (name: string): SettingsPlace | undefined => bySlug.get(name) ?? placeOfCommand(name);

/** The title and text of a row that a component draws. */
export function rowWords(title: string): { title: string; text: string } {
  return { title, text: byTitle.get(title)?.text ?? "" };
}

/** How much less a word counts that is found elsewhere than in the title. */
const ranks = { page: -1, begins: 0, title: 1, words: 2, text: 3 };

function rank({ title, text, words, page }: SettingsPlace, word: string): number {
  const has = (s: string) => s.toLowerCase().includes(word);
  if (title.toLowerCase().startsWith(word)) return title === page.title ? ranks.page : ranks.begins;
  if (has(title)) return ranks.title;
  if (words.some(has)) return ranks.words;
  return has(text) || has(page.title) ? ranks.text : Infinity;
}

/** The words that are searched. */
export const searchWords = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

/** What the search finds: where it leads, and how it is shown. */
export interface SettingsHit extends SettingsPlace {
  /** The title of its place. */
  at: string;
}

/** What is searched: the places of the settings, and the rows of commands on the keyboard page. */
export function searchedSettings(commands: readonly Action[]): SettingsHit[] {
  return [
    ...settingsPlaces.map((place) => ({ ...place, at: place.title })),
    ...commands.map(({ id, title, group, words, keys, leader }) => ({
      title,
      text: [...keys.map(keyLabel), ...(leader ? [`${keyLabel(leaderKey)} ${leader.toUpperCase()}`] : [])].join(", "),
      words: [group, ...words],
      page: keyboardPage,
      section: "",
      at: commandPlace(id),
    })),
  ];
}

/** Those that have every word in their title, text or synonyms, the best first. */
export function searchSettings(searched: readonly SettingsHit[], query: string): SettingsHit[] {
  const words = searchWords(query);
  return searched
    .map((place) => ({ place, rank: words.reduce((sum, w) => sum + rank(place, w), 0) }))
    .filter((hit) => hit.rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map((hit) => hit.place);
}
