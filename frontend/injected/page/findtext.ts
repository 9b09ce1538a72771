// The user's search in the page. It changes only highlights, which pages can see, and the scroll position.
import { TargetError } from "./errors";
import { foreignFrame } from "./refs";
import type { Rect } from "./scroll";
import { copyRect, mapOutOfFrame, mapToWindow, scrollToBox } from "./scroll";
import { searchText } from "./textindex";

const STYLE = `::highlight(goalpost-found){background:#ffe066;color:#000}
::highlight(goalpost-here){background:#ff8a1f;color:#000}`;

const sheets = new Map<Document, CSSStyleSheet>(); // of documents with highlights
let ranges: Range[] = [];
let closedFields: Element[] = [];

const documentOf = (range: Range) => range.startContainer.ownerDocument ?? document;
const boxOf = (range: Range) => mapToWindow(copyRect(range.getBoundingClientRect()), documentOf(range));

function clearHighlights(doc: Document): void {
  const view = doc.defaultView;
  const sheet = sheets.get(doc);
  sheets.delete(doc);
  view?.CSS.highlights.delete("goalpost-found");
  view?.CSS.highlights.delete("goalpost-here");
  doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((s) => s !== sheet);
}

function highlight(doc: Document, list: Range[], current: Range | undefined): void {
  const view = doc.defaultView;
  if (!view || list.length === 0) {
    clearHighlights(doc);
    return;
  }
  if (!sheets.has(doc)) {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(STYLE);
    sheets.set(doc, sheet);
    doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
  }
  const front = new view.Highlight(...list.filter((r) => r === current));
  front.priority = 1;
  view.CSS.highlights.set("goalpost-found", new view.Highlight(...list));
  view.CSS.highlights.set("goalpost-here", front);
}

function highlightAll(current?: Range): void {
  const lists = new Map<Document, Range[]>();
  for (const doc of sheets.keys()) lists.set(doc, []);
  for (const range of ranges) {
    const doc = documentOf(range);
    const list = lists.get(doc);
    if (list) list.push(range);
    else lists.set(doc, [range]);
  }
  for (const [doc, list] of lists) highlight(doc, list, current);
}

/**
 * findText counts the matches of a text. It also gives the first match that is not above the view, and the number of
 * fields that the program must open before it searches again.
 */
export function findText(query: string, limit: number) {
  ({ ranges, closedFields } = searchText(query, limit));
  const first = ranges.findIndex((r) => boxOf(r).y >= 0);
  return { count: ranges.length, first: Math.max(first, 0), fields: closedFields.length };
}

/** listClosedFields lists the fields that the last findText counted. */
export const listClosedFields = () => closedFields;

/** showText highlights all matches, and scrolls to one of them if it is in this document. It gives its box. */
export function showText(at: number): Rect | null {
  const current = ranges[at];
  highlightAll(current);
  if (!current) return null;
  const start = current.startContainer;
  const holder = start.parentElement ?? (start.getRootNode() as ShadowRoot).host;
  scrollToBox(holder, () => current.getBoundingClientRect());
  return boxOf(current);
}

/** scrollToFrameBox scrolls to a box in a frame of another site, and gives the box in the window. */
export function scrollToFrameBox(number: number, inside: Rect): Rect {
  const el = foreignFrame(number);
  if (!el?.isConnected) throw new TargetError("stale", "the frame");
  const readBox = () => mapOutOfFrame(inside, el);
  scrollToBox(el, readBox);
  return mapToWindow(readBox(), el.ownerDocument);
}

/** endFindText removes the highlights. */
export function endFindText(): true {
  ranges = [];
  closedFields = [];
  highlightAll();
  return true;
}
