// What an action changed: the lines that are new, and how many are no longer there.
import type { Item } from "./collect";
import { collect } from "./collect";
import { isElement, isTextNode } from "./dom";
import { nextTask } from "./geometry";
import { SKIPPED_TAGS } from "./roles";
import { quoteText, sanitizeText } from "./text";
import { listMetRoots, parentOf } from "./tree";
import { isVisible } from "./visibility";

const MOST_ADDED = 12; // lines in a difference
const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };

export interface Difference {
  fresh: boolean; // nothing is known of the time before: the lines are those in view
  added: string[];
  more: number; // new lines that added has not
  removed: number;
}

let before: Map<string, number> | null = null; // how often each line was in view when the action began
const added = new Set<Node>(); // and what came since
let mutations = 0;

function noteMutations(records: MutationRecord[]): void {
  mutations += records.length;
  for (const r of records) {
    if (added.size > 200) return;
    for (const n of r.addedNodes) if (isElement(n) || isTextNode(n)) added.add(n);
    if (r.type === "characterData") added.add(r.target);
  }
}

const observer = new MutationObserver(noteMutations);

/** countLines counts how often each line occurs. */
export function countLines(items: Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { line } of items) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** startDiff notes what is in view, and observes the page from now on. */
export function startDiff(): true {
  before = countLines(collect(true).items);
  observer.disconnect();
  added.clear();
  mutations = 0;
  observer.observe(document, EVERYTHING);
  for (const root of listMetRoots()) observer.observe(root, EVERYTHING);
  return true;
}

/** stopDiff ends the observation. */
export function stopDiff(): true {
  observer.disconnect();
  added.clear();
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
  el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  if (before) before = countLines(collect(true).items);
}

/** compareLines gives the lines that there were not before, and how many of those are gone. */
export function compareLines(was: Map<string, number>, items: Item[]) {
  const left = new Map(was);
  const fresh: string[] = [];
  for (const { line } of items) {
    const n = left.get(line) ?? 0;
    if (n > 0) left.set(line, n - 1);
    else fresh.push(line);
  }
  let removed = 0;
  for (const n of left.values()) removed += n;
  return { added: fresh, removed };
}

function currentDiff(): Difference {
  if (!before) {
    const lines = collect(true).items.map((i) => i.line);
    return { fresh: true, added: lines.slice(0, MOST_ADDED), more: Math.max(0, lines.length - MOST_ADDED), removed: 0 };
  }
  noteMutations(observer.takeRecords());
  const { items } = collect(true);
  const { added: lines, removed } = compareLines(before, items);
  addOutOfView(lines, new Set<Node>(items.map((i) => i.el)));
  return { fresh: false, added: lines.slice(0, MOST_ADDED), more: Math.max(0, lines.length - MOST_ADDED), removed };
}

/** addOutOfView adds the lines of what came and is not in view. listed are the elements that have their line. */
function addOutOfView(lines: string[], listed: Set<Node>): void {
  for (const n of added) {
    if (lines.length > 100 || listed.has(n) || !n.isConnected) continue;
    if (isTextNode(n)) {
      const parent = parentOf(n);
      const text = sanitizeText(n.data, 400);
      const readable = isElement(parent) && isVisible(parent) && !SKIPPED_TAGS.has(parent.tagName);
      if (text && !listed.has(parent) && readable) lines.push(quoteText(text, 400));
      listed.add(parent);
      continue;
    }
    for (const item of collect(false, n as Element).items) {
      if (listed.has(item.el)) continue;
      listed.add(item.el);
      lines.push(item.line);
    }
  }
}

/** willEnd reports whether an animation runs, and not for ever. */
function willEnd(a: Animation): boolean {
  return a.playState === "running" && Number.isFinite(a.effect?.getComputedTiming().endTime);
}

/**
 * waitForTask waits for the next frame of the page. It gives how many mutations there were before it, and whether an
 * animation runs that will end; of a page at rest also what changed, because the program asks for that next.
 */
export async function waitForTask() {
  const was = mutations;
  await nextTask();
  noteMutations(observer.takeRecords());
  const altered = mutations - was;
  const moving = document.getAnimations().some(willEnd);
  return { altered, ever: mutations, moving, diff: altered || moving ? null : currentDiff() };
}
