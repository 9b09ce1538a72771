import { lexer, type Token, type Tokens } from "marked";
import { oneLine, stripControl } from "@/lib/text";

/** What a place of one line can show is in the beginning. */
const maxParsed = 4_000;

/** A text without its Markdown marks, for a place of one line: `**Done** in \`a.go\`` becomes `Done in a.go`. */
export function markdownText(text: string): string {
  const words = (tokens: Token[]): string => tokens.map((t) => tokenText(t, words)).join("");
  const start = text.slice(0, maxParsed);
  try {
    return oneLine(stripControl(words(lexer(start, { gfm: true, breaks: false }))));
  } catch {
    return oneLine(stripControl(start));
  }
}

function tokenText(token: Token, words: (tokens: Token[]) => string): string {
  if (token.type === "list") return (token as Tokens.List).items.map((item) => `${words(item.tokens)} `).join("");
  if (token.type === "image") return (token as Tokens.Image).text;
  const inside = (token as Tokens.Generic).tokens;
  if (inside) return `${words(inside)}${token.type === "paragraph" ? " " : ""}`;
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}
