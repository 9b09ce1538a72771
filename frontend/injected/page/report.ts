// The snapshot of a page as the program gets it.
import type { Item } from "./collect";
import { collect, indentOf } from "./collect";
import { refOf } from "./refs";
import { sanitizeText } from "./text";
import { countClosedRoots } from "./tree";
import { rectOf, rootElementOf, titleOf } from "./native";

const MAX_CHARACTERS = 1 << 20; // of all lines

/** formatItem formats the line of an item, indented by its nesting. */
export const formatItem = (item: Item) => " ".repeat(indentOf(item)) + item.line + (item.place ? " " + item.place : "");

/** splitLines separates the lines in view from the others. cut means that limit was reached. */
export function splitLines(items: Item[], limit = MAX_CHARACTERS) {
  const here: string[] = [];
  const there: string[] = [];
  let left = limit;
  for (const item of items) {
    const line = formatItem(item);
    left -= line.length;
    if (left < 0) return { here, there, cut: true };
    (item.inView ? here : there).push(line);
  }
  return { here, there, cut: false };
}

/** PageText is a result with lines, none of which contains a line break. */
export class PageText {
  constructor(
    readonly page: object,
    readonly lines: string[],
  ) {}
}

/** takeSnapshot gives every line, those in view first. The program stores them and shows as many as fit. */
export function takeSnapshot() {
  const { items, cut } = collect();
  const found = splitLines(items);
  const page = {
    inView: found.here.length,
    cut: cut || found.cut,
    known: countClosedRoots(),
    width: innerWidth,
    height: innerHeight,
    scroll: Math.round(scrollY),
    tall: Math.round(rootElementOf(document).scrollHeight),
    title: sanitizeText(titleOf(document), 200),
  };
  return new PageText(page, [...found.here, ...found.there]);
}

/** listMarks lists the usable elements in view with their boxes, at most 200. */
export function listMarks() {
  const items = collect().items.filter((i) => i.usable && i.inView);
  return items.slice(0, 200).map(({ el, offset }) => {
    const r = rectOf(el);
    return { ref: refOf(el), x: r.x + offset.x, y: r.y + offset.y, width: r.width, height: r.height };
  });
}

/** findSimilar gives the refs of elements that look like one that no longer exists, at most 5. */
export function findSimilar(role: string, name: string): string[] {
  const items = collect().items.filter((i) => i.usable && i.role === role && i.name === name);
  return items.slice(0, 5).map((i) => refOf(i.el));
}
