// What an action changed: new lines, the number of lines that disappeared, and elements that moved, changed their
// order, were drawn on, selected or scrolled.
import { placeOf } from "./appearance";
import type { Item } from "./collect";
import { collect } from "./collect";
import { describe } from "./describe";
import { isElement, isTextNode } from "./dom";
import type { Point } from "./geometry";
import { intersectsViewport, offsetOf } from "./geometry";
import { attributeOf, containsNode, isConnected, parentElementOf, rectOf, rootElementOf, tagNameOf } from "./native";
import { INLINE_TAGS, SKIPPED_TAGS } from "./roles";
import { quoteText, truncate } from "./text";
import { listMetRoots, parentOf } from "./tree";
import { isVisible } from "./visibility";

const MAX_ADDED = 60; // lines in a difference
const MAX_NOTES = 5; // of one kind
const MAX_CANVASES = 4;
export const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };

export interface Difference {
  fresh: boolean; // there is no earlier state: the lines are those in view
  added: string[];
  more: number; // new lines that are not in added
  removed: number;
  notes: string[]; // changes that give no new line
}

/** Shown is a line that was in view, with its box. The numbers of the box are read only if they are compared. */
interface Shown {
  el: Element;
  line: string;
  offset: Point;
  box: DOMRect;
}

/** View is the state of the page in view when the action began. */
interface View {
  shown: Shown[];
  canvases: Map<Element, string>;
  selected: string;
  x: number; // how far the page is scrolled
  y: number;
}

let before: View | null = null;
const added = new Set<Node>(); // nodes that were added since
const altered = new Set<Element>(); // elements whose class or style changed
let scrolled = new Map<Element, number>(); // elements that were scrolled, with the position before, NaN if unknown
let mutations = 0;

function noteMutations(records: MutationRecord[]): void {
  mutations += records.length;
  for (const r of records) {
    if (r.type === "attributes" && altered.size < 50 && isElement(r.target)) altered.add(r.target);
    if (added.size > 200) continue;
    for (const n of r.addedNodes) if (isElement(n) || isTextNode(n)) added.add(n);
    if (r.type === "characterData") added.add(r.target);
  }
}

const observer = new MutationObserver(noteMutations);

/** mutationCount counts the mutations since startDiff that were noted. */
export const mutationCount = () => mutations;

/** notePendingMutations notes the mutations that the observer has not delivered yet. */
export const notePendingMutations = () => noteMutations(observer.takeRecords());

function onScroll(e: Event): void {
  const el = e.target as Node;
  if (isElement(el) && scrolled.get(el) !== el.scrollTop + el.scrollLeft) scrolled.set(el, NaN);
}

/** fingerprint gives a hash of the content of a canvas, "" for one that may not be read. */
function fingerprint(canvas: HTMLCanvasElement): string {
  try {
    const copy = new OffscreenCanvas(Math.min(canvas.width, 200), Math.min(canvas.height, 200));
    const context = copy.getContext("2d", { willReadFrequently: true });
    if (!context) return "";
    context.imageSmoothingQuality = "high";
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let hash = 0;
    for (const part of data) hash = (hash * 31 + part) | 0;
    return String(hash);
  } catch {
    return "";
  }
}

function selectedText(): string {
  const text = getSelection()?.toString() ?? "";
  return text.slice(0, 200);
}

function readView(): View {
  const { items } = collect(true);
  const canvases = new Map<Element, string>();
  const shown = items.map(({ el, line, offset, role, box }) => {
    const isCanvas = role === "canvas" && tagNameOf(el) === "CANVAS" && canvases.size < MAX_CANVASES;
    if (isCanvas) canvases.set(el, fingerprint(el as HTMLCanvasElement));
    return { el, line, offset, box: box ?? rectOf(el) };
  });
  return { shown, canvases, selected: selectedText(), x: scrollX, y: scrollY };
}

/** countLines counts how often each line occurs. */
export function countLines(items: { line: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { line } of items) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** startDiff records the lines in view, and observes the page from now on. */
export function startDiff(): true {
  stopDiff();
  before = readView();
  mutations = 0;
  observer.observe(document, EVERYTHING);
  for (const root of listMetRoots()) observer.observe(root, EVERYTHING);
  addEventListener("scroll", onScroll, { capture: true, passive: true });
  return true;
}

/** stopDiff ends the observation. */
export function stopDiff(): true {
  observer.disconnect();
  removeEventListener("scroll", onScroll, { capture: true });
  added.clear();
  altered.clear();
  scrolled = new Map();
  before = null;
  return true;
}

/** endDiff gives what changed and ends the observation. */
export function endDiff(): Difference {
  const difference = currentDiff();
  stopDiff();
  return difference;
}

/** noteReveal records the lines in view again after scrolling to el, which is not an effect of the action. */
export function noteReveal(el: Element): void {
  if (!before) return;
  before = readView();
  for (let p = parentElementOf(el); p; p = parentElementOf(p)) scrolled.set(p, p.scrollTop + p.scrollLeft);
}

/**
 * compareLines gives the items whose lines are new, the items with old lines, the number of lines that disappeared, and
 * whether the old lines may have another order. Most actions change few lines, so it counts only the lines between
 * those that are equal at the beginning and at the end.
 */
export function compareLines<T extends { line: string }>(was: { line: string }[], now: T[]) {
  const shorter = Math.min(was.length, now.length);
  let first = 0;
  while (first < shorter && was[first]?.line === now[first]?.line) first++;
  let last = 0;
  while (last < shorter - first && was.at(-1 - last)?.line === now.at(-1 - last)?.line) last++;
  const left = countLines(was.slice(first, was.length - last));
  const end = now.length - last;
  const fresh: T[] = [];
  const common = now.slice(0, first);
  for (const item of now.slice(first, end)) {
    const n = left.get(item.line) ?? 0;
    if (n > 0) {
      left.set(item.line, n - 1);
      common.push(item);
    } else fresh.push(item);
  }
  const mixed = common.length - first > 1;
  common.push(...now.slice(end));
  let removed = 0;
  for (const n of left.values()) removed += n;
  return { added: fresh, common, removed, mixed };
}

/** currentDiff gives what changed since startDiff; without one, the lines in view. */
export function currentDiff(): Difference {
  if (!before) {
    const lines = collect(true).items.map((i) => i.line);
    return { fresh: true, ...truncateList(lines), removed: 0, notes: [] };
  }
  notePendingMutations();
  const { items } = collect(true);
  const { added: fresh, common, removed, mixed } = compareLines(before.shown, items);
  const lines = fresh.map((i) => i.line);
  addOutOfView(lines, items);
  const notes: string[] = [];
  const reordered = mixed ? noteOrder(before.shown, common, notes) : new Set<Element>();
  noteScroll(before, notes);
  noteMoves(before, common, reordered, lines.length + removed > 0, notes);
  for (const [el, was] of before.canvases) {
    if (isConnected(el) && fingerprint(el as HTMLCanvasElement) !== was) notes.push(`drawn on: ${describe(el)}`);
  }
  const selected = selectedText();
  if (selected !== before.selected)
    notes.push(selected ? `selected: ${quoteText(selected, 80)}` : "nothing is selected");
  if (lines.length + removed + notes.length === 0) noteAltered(notes);
  return { fresh: false, ...truncateList(lines), removed, notes };
}

/** truncateList leaves out the least important lines: long texts, then text without a number, then elements. */
export function truncateList(lines: string[]): { added: string[]; more: number } {
  if (lines.length <= MAX_ADDED) return { added: lines, more: 0 };
  const rank = (line: string) => {
    if (/^(alert|dialog|heading|status)\b/.test(line)) return 0;
    if (/^e\d+ /.test(line)) return 1;
    return /\d/.test(line) && line.length < 100 ? 2 : 3;
  };
  const order = lines.map((line, at) => ({ at, rank: rank(line) })).sort((a, b) => a.rank - b.rank || a.at - b.at);
  const kept = new Set(order.slice(0, MAX_ADDED).map((o) => o.at));
  return { added: lines.filter((_, at) => kept.has(at)), more: lines.length - MAX_ADDED };
}

/** uniqueLines gives the items whose line occurs once: whether equal lines changed places cannot be known. */
function uniqueLines<T extends { line: string }>(items: T[]): T[] {
  const counts = countLines(items);
  return items.filter((i) => counts.get(i.line) === 1);
}

/** noteOrder adds a note about lines whose order changed, and returns their elements. */
function noteOrder(was: Shown[], common: Item[], notes: string[]): Set<Element> {
  const now = uniqueLines(common);
  const lines = new Set(now.map((i) => i.line));
  const old = uniqueLines(was).filter((s) => lines.has(s.line));
  const here = new Set(old.map((s) => s.line));
  const list = now.filter((i) => here.has(i.line));
  let first = 0;
  let last = list.length - 1;
  while (first <= last && old[first]?.line === list[first]?.line) first++;
  while (last > first && old[last]?.line === list[last]?.line) last--;
  const moved = first <= last ? list.slice(first, last + 1) : [];
  if (moved.length > 0) {
    const some = moved.slice(0, 12).map((i) => truncate(i.line, 60));
    const more = moved.length > 12 ? ` | … ${moved.length - 12} more` : "";
    notes.push(`order now: ${some.join(" | ")}${more}`);
  }
  return new Set(moved.map((i) => i.el));
}

function noteScroll(was: View, notes: string[]): void {
  if (Math.abs(scrollY - was.y) >= 1 || Math.abs(scrollX - was.x) >= 1) {
    const across = scrollX === was.x ? "" : `, ${Math.round(scrollX)} across`;
    notes.push(`scrolled to ${Math.round(scrollY)} of ${Math.round(rootElementOf(document).scrollHeight)}${across}`);
  }
  let n = 0;
  for (const [el, position] of scrolled) {
    if (!Number.isNaN(position) || !isConnected(el) || ++n > MAX_NOTES) continue;
    notes.push(`scrolled inside ${truncate(describe(el), 60)} to ${Math.round(el.scrollTop)} of ${el.scrollHeight}`);
  }
}

/** noteMoves adds a note for each element that moved or changed its size, unless other lines pushed it. */
function noteMoves(was: View, common: Item[], reordered: Set<Element>, pushed: boolean, notes: string[]): void {
  const old = new Map(was.shown.map((s) => [s.el, s]));
  const moves: { key: string; text: string }[] = [];
  const [scrolledX, scrolledY] = [scrollX - was.x, scrollY - was.y];
  const inScrolled = (el: Element) => [...scrolled.keys()].some((p) => containsNode(p, el));
  for (const { el, line, offset, box } of common) {
    const s = old.get(el);
    if (!s || s.line !== line || reordered.has(el)) continue;
    const r = box ?? rectOf(el);
    const dx = r.x + offset.x - s.box.x - s.offset.x + scrolledX;
    const dy = r.y + offset.y - s.box.y - s.offset.y + scrolledY;
    const moved = Math.abs(dx) >= 3 || Math.abs(dy) >= 3;
    const resized = Math.abs(r.width - s.box.width) >= 3 || Math.abs(r.height - s.box.height) >= 3;
    if (!(moved || resized) || inScrolled(el)) continue;
    const size = resized ? `, ${Math.round(r.width)}x${Math.round(r.height)}` : "";
    const text = `moved: ${truncate(line, 80)} is ${placeOf(r, offset)}${size}`;
    moves.push({ key: `${Math.round(dx)},${Math.round(dy)}`, text });
  }
  const alone = pushed ? moves.filter((m) => moves.filter((o) => o.key === m.key).length === 1) : moves;
  if (pushed && alone.length > MAX_NOTES) return;
  for (const { text } of alone.slice(0, MAX_NOTES)) notes.push(text);
  if (alone.length > MAX_NOTES) notes.push(`${alone.length - MAX_NOTES} more moved`);
}

/** noteAltered adds a note for each element whose class or style changed, when nothing else has changed. */
function noteAltered(notes: string[]): void {
  for (const el of altered) {
    if (notes.length >= MAX_NOTES) return;
    if (!isConnected(el) || !isVisible(el) || tagNameOf(el) === "BODY" || tagNameOf(el) === "HTML") continue;
    if (!intersectsViewport(el, offsetOf(el))) continue;
    const name = (attributeOf(el, "class") ?? "").trim();
    notes.push(`looks different: ${describe(el)}${name ? " class=" + quoteText(name, 60) : ""}`);
  }
}

/** blockOf is the nearest element around a node that begins a line of its own. */
function blockOf(n: Node): Element | null {
  for (let el: Node = parentOf(n); isElement(el); el = parentOf(el)) if (!INLINE_TAGS.has(tagNameOf(el))) return el;
  return null;
}

/** addOutOfView adds the lines of added nodes that are out of view, as a snapshot shows them. */
function addOutOfView(lines: string[], items: Item[]): void {
  const listed = new Set<Element>();
  const list = (i: Item) => {
    listed.add(i.el);
    for (const { el } of i.segments) listed.add(el);
  };
  items.forEach(list);
  const holders = new Set(items.filter((i) => i.usable).map((i) => i.el));
  const has = (n: Node) => {
    for (let el: Node = isElement(n) ? n : parentOf(n); isElement(el); el = parentOf(el)) {
      if (holders.has(el) || (el === n ? listed.has(el) : el === parentOf(n) && isTextNode(n) && listed.has(el)))
        return true;
    }
    return false;
  };
  const read = new Set<Element>();
  for (const n of added) {
    if (lines.length > 100 || !isConnected(n) || has(n)) continue;
    const parent = isElement(n) ? n : (parentOf(n) as Element);
    if (!isVisible(parent) || SKIPPED_TAGS.has(tagNameOf(parent))) continue;
    const root = isElement(n) && !INLINE_TAGS.has(tagNameOf(n)) ? n : blockOf(n);
    if (!root || read.has(root)) continue;
    read.add(root);
    for (const item of collect(false, root).items) {
      const touches = [item.el, ...item.segments.map((s) => s.el)].some((el) => el === parent || containsNode(n, el));
      if (touches && !listed.has(item.el)) lines.push(item.line);
      list(item);
    }
  }
}
