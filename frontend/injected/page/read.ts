// What the agent reads: the page as Markdown, and its HTML.
import { bodyOf } from "./dom";
import { findElement } from "./find";
import { formatTable, MarkdownWriter } from "./markdown";
import { roleOf } from "./roles";
import { innerDocument } from "./tree";
import { isRendered, isVisible } from "./visibility";
import { rootElementOf, textContentOf, queryIn } from "./native";

/** mainContent gives the largest main element or article if it has much of the text, otherwise the body. */
function mainContent(): Element {
  const body = bodyOf(document);
  const sizeOf = (el: Element) => textContentOf(el).length;
  const candidates = [...queryIn(document, "main, [role=main], article")].filter(isVisible);
  const [best] = candidates.sort((a, b) => sizeOf(b) - sizeOf(a));
  return best && sizeOf(best) > 0.3 * sizeOf(body) ? best : body;
}

function readTables(root: Element): string[] {
  const elements = [root, ...queryIn(root, "table, [role=table], [role=grid]")];
  return elements
    .filter((el) => ["table", "grid"].includes(roleOf(el)) && isRendered(el))
    .map((el) => formatTable(el, true))
    .filter((table) => table !== "");
}

/** excerptText gives at most limit characters from a position, and ends at a line break if one is near. */
export function excerptText(text: string, from: number, limit: number) {
  if (from >= text.length) return { text: "", next: 0, total: text.length };
  let end = Math.min(text.length, from + limit);
  if (end < text.length) {
    const line = text.lastIndexOf("\n", end);
    if (line > from + limit / 2) end = line + 1;
    else if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end--;
  }
  return { text: text.slice(from, end), next: end < text.length ? end : 0, total: text.length };
}

/**
 * readPage gives the Markdown of a target, the whole page, or its main content, from a position. With tables it gives
 * the tables alone.
 */
export function readPage(target: string, tables: boolean, whole: boolean, from: number, limit: number) {
  const root = target ? findElement(target) : whole ? bodyOf(document) : mainContent();
  if (tables) return excerptText(readTables(root).join("\n\n"), from, limit);
  const writer = new MarkdownWriter(whole || Boolean(target));
  const doc = innerDocument(root);
  writer.addNode(doc ? doc.body : root, 0);
  writer.endBlock();
  return excerptText(writer.blocks.join("\n\n"), from, limit);
}

/** readSource gives the HTML of the document, without the passwords that the server sent. */
export function readSource(): string {
  let html = rootElementOf(document).outerHTML;
  if (/type\s*=\s*.?password/i.test(html)) {
    const copy = new DOMParser().parseFromString(html, "text/html");
    for (const field of copy.querySelectorAll("input[type=password i]")) field.removeAttribute("value");
    html = copy.documentElement.outerHTML;
  }
  return `<!doctype html>\n${html}`;
}
