import { helpPages, type HelpPage } from "@/lib/helppages";

export interface HelpText {
  page: HelpPage;
  title: string;
  /** Markdown, without the title. */
  text: string;
}

// The pages are part of the program: help works without a network.
const files = import.meta.glob<string>(
  [
    "../../../../docs/guide/*.md",
    "../../../../docs/how-to/{connect-a-model,goals,mcp,model-servers,notifications,packages}.md",
    "../../../../docs/{platforms,engines,trust,effects,security}.md",
  ],
  { query: "?raw", import: "default", eager: true },
);

function readPage(page: HelpPage): HelpText {
  const file = files[`../../../../docs/${page}.md`];
  if (file === undefined) throw new Error(`docs/${page}.md is not part of the window`);
  const [first = "", ...rest] = file.replace(/<!--[\s\S]*?-->\n?/g, "").split("\n");
  return { page, title: first.replace(/^# /, ""), text: rest.join("\n") };
}

export const helpTexts: readonly HelpText[] = helpPages.map(readPage);

/** Returns the pages that contain all the words; pages with the words in the title come first. */
export function searchHelp(query: string): readonly HelpText[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return helpTexts;
  const has = (text: string) => words.every((w) => text.toLowerCase().includes(w));
  const titled = helpTexts.filter((h) => has(h.title));
  return [...titled, ...helpTexts.filter((h) => !titled.includes(h) && has(`${h.title}\n${h.text}`))];
}
