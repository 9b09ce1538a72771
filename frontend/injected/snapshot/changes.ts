// What an action changed: the lines that are new, how many are no longer there, and what is at another place, in another
// order, drawn on, selected or scrolled.
import { placeOf } from "./appearance";
import type { Item } from "./collect";
import { collect } from "./collect";
import { describe } from "./describe";
import { isElement, isTextNode } from "./dom";
import type { Point } from "./geometry";
import { intersectsViewport, nextTask, offsetOf } from "./geometry";
import {
  animationsOf,
  attributeOf,
  containsNode,
  isConnected,
  parentElementOf,
  rectOf,
  rootElementOf,
  scrollToCenter,
  tagNameOf,
} from "./native";
import { INLINE_TAGS, SKIPPED_TAGS } from "./roles";
import { quoteText, truncate } from "./text";
import { listMetRoots, parentOf } from "./tree";
import { isVisible } from "./visibility";

const MOST_ADDED = 40; // lines in a difference
const MOST_NOTES = 5; // of one kind
const MOST_CANVASES = 4;
const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };

export interface Difference {
  fresh: boolean; // nothing is known of the time before: the lines are those in view
  added: string[];
  more: number; // new lines that added has not
  removed: number;
  notes: string[]; // what changed without a new line
}

/** Shown is a line that was in view, and where. The numbers of its box are read only if they are compared. */
interface Shown {
  el: Element;
  line: string;
  offset: Point;
  box: DOMRect;
}

/** View is what was in view when the action began. */
interface View {
  shown: Shown[];
  canvases: Map<Element, string>;
  selected: string;
  x: number; // how far the page is scrolled
  y: number;
}

let before: View | null = null;
const added = new Set<Node>(); // what came since
const altered = new Set<Element>(); // and what has another class or style
let scrolled = new Map<Element, number>(); // and what was scrolled inside of the page: to where before, if it is known
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

function onScroll(e: Event): void {
  const el = e.target as Node;
  if (isElement(el) && scrolled.get(el) !== el.scrollTop + el.scrollLeft) scrolled.set(el, NaN);
}

/** fingerprint is a small copy of what a canvas shows, "" for one that may not be read. */
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
    const isCanvas = role === "canvas" && tagNameOf(el) === "CANVAS" && canvases.size < MOST_CANVASES;
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

/** startDiff notes what is in view, and observes the page from now on. */
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

/** revealElement scrolls to an element. What comes into view by this is not an effect of the action. */
export function revealElement(el: Element): void {
  scrollToCenter(el);
  if (!before) return;
  before = readView();
  for (let p = parentElementOf(el); p; p = parentElementOf(p)) scrolled.set(p, p.scrollTop + p.scrollLeft);
}

/**
 * compareLines gives the items whose lines there were not before, the others, how many lines are gone, and whether
 * lines that are still there may have another order. Most actions change few lines, so only those between the equal
 * ones at the beginning and at the end are counted.
 */
export function compareLines<T extends { line: string }>(was: { line: string }[], now: T[]) {
  const most = Math.min(was.length, now.length);
  let first = 0;
  while (first < most && was[first]?.line === now[first]?.line) first++;
  let last = 0;
  while (last < most - first && was.at(-1 - last)?.line === now.at(-1 - last)?.line) last++;
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

function currentDiff(): Difference {
  if (!before) {
    const lines = collect(true).items.map((i) => i.line);
    return { fresh: true, ...truncateList(lines), removed: 0, notes: [] };
  }
  noteMutations(observer.takeRecords());
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

const truncateList = (lines: string[]) => ({
  added: lines.slice(0, MOST_ADDED),
  more: Math.max(0, lines.length - MOST_ADDED),
});

/** uniqueLines gives the items whose line occurs once: of equal ones nobody can tell whether they changed places. */
function uniqueLines<T extends { line: string }>(items: T[]): T[] {
  const counts = countLines(items);
  return items.filter((i) => counts.get(i.line) === 1);
}

/** noteOrder adds lines that have another order than before, and returns their elements. */
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
    if (!Number.isNaN(position) || !isConnected(el) || ++n > MOST_NOTES) continue;
    notes.push(`scrolled inside ${truncate(describe(el), 60)} to ${Math.round(el.scrollTop)} of ${el.scrollHeight}`);
  }
}

/** noteMoves adds what is at another place or has another size, unless other lines pushed it. */
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
  if (pushed && alone.length > MOST_NOTES) return;
  for (const { text } of alone.slice(0, MOST_NOTES)) notes.push(text);
  if (alone.length > MOST_NOTES) notes.push(`${alone.length - MOST_NOTES} more moved`);
}

/** noteAltered adds elements that have another class or style, when nothing else has changed. */
function noteAltered(notes: string[]): void {
  for (const el of altered) {
    if (notes.length >= MOST_NOTES) return;
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

/** addOutOfView adds the lines of what came and is not in view, as a snapshot shows them. */
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

/** remainingOf is how long an animation will run, in ms; 0 for one that has no end. */
function remainingOf(a: Animation): number {
  const end = Number(a.effect?.getComputedTiming().endTime);
  if (a.playState !== "running" || !Number.isFinite(end)) return 0;
  return Math.max(1, end - Number(a.currentTime ?? 0));
}

/**
 * waitForTask waits for the next frame of the page. It gives how many mutations there were before it, and how long
 * animations will run that have an end; of a page at rest also what changed, because the program asks for that next.
 */
export async function waitForTask() {
  const was = mutations;
  await nextTask();
  noteMutations(observer.takeRecords());
  const count = mutations - was;
  const moving = Math.max(0, ...animationsOf(document).map(remainingOf));
  return { altered: count, ever: mutations, moving, diff: count || moving ? null : currentDiff() };
}

/** waitForMutation waits until the page changes, at most for a time in ms. It reports whether it did. */
export function waitForMutation(timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (changed: boolean) => {
      once.disconnect();
      clearTimeout(limit);
      resolve(changed);
    };
    const once = new MutationObserver(() => end(true));
    const limit = setTimeout(() => end(false), timeout);
    once.observe(document, EVERYTHING);
    for (const root of listMetRoots()) once.observe(root, EVERYTHING);
  });
}
