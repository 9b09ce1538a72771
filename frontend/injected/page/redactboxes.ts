// The boxes of texts that a picture must not show, from before the picture is taken until after it.
import { isElement, isTextNode } from "./dom";
import { gatherTexts, listFrames, listPassingTexts, observePassing, pieceAt, stopPassing } from "./redact";
import { isForeignFrame } from "./refs";

/** Box is left, top, right and bottom in CSS pixels. */
export type Box = [number, number, number, number];

interface Tracked {
  node: Node;
  text: string;
  from: number; // of the text
  to: number;
  boxes: Box[]; // all that it covered since the first frame
}

let tracked: Tracked[] = [];
let run = 0; // counts the pictures

/** startTexts gives the texts of the page, and from now on observes which texts appear and disappear. */
export async function startTexts() {
  // A frame may still show text that its document no longer has, until it draws again. Out of view it draws nothing.
  if (isForeignFrame) {
    await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  stopTracking();
  const { roots, message } = gatherTexts();
  observePassing(roots);
  return message;
}

function rectsOf({ node, from, to, text }: Tracked): DOMRect[] {
  if (isElement(node)) return [node.getBoundingClientRect()];
  const range = (node.ownerDocument ?? document).createRange();
  if (isTextNode(node) && node.data === text) {
    range.setStart(node, from);
    range.setEnd(node, to);
  } else range.selectNodeContents(node);
  return [...range.getClientRects()];
}

/** joinBoxes gives the smallest box that contains both. */
export function joinBoxes(a: Box, b: Box): Box {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

/** mergeBoxes extends the boxes of a text by its current ones. If the number of lines changed, one box contains all. */
export function mergeBoxes(was: Box[], now: Box[]): Box[] {
  if (now.length === 0) return was;
  if (was.length === 0) return now;
  const paired = now.flatMap((b, i) => (was[i] ? [joinBoxes(b, was[i])] : []));
  return was.length === now.length ? paired : [[...was, ...now].reduce(joinBoxes)];
}

/** sampleBoxes records where the texts are. With whole, boxes are relative to the document and not to the window. */
function sampleBoxes(whole: boolean): void {
  const dx = whole ? scrollX : 0;
  const dy = whole ? scrollY : 0;
  for (const t of tracked) {
    const rects = rectsOf(t).filter((r) => r.width > 0 && r.height > 0);
    const now = rects.map((r): Box => [r.left + dx, r.top + dy, r.right + dx, r.bottom + dy]);
    t.boxes = mergeBoxes(t.boxes, now);
  }
}

/** trackTexts begins to record the boxes of parts of texts, [piece, from, to], and of the frames to hide. */
export function trackTexts(places: [number, number, number][], hidden: number[], whole: boolean): true {
  tracked = places.flatMap(([i, from, to]) => {
    const piece = pieceAt(i);
    return piece ? [{ ...piece, from, to, boxes: [] }] : [];
  });
  for (const { id, node } of listFrames()) {
    if (hidden.includes(id)) tracked.push({ node, text: "", from: 0, to: 0, boxes: [] });
  }
  const own = ++run;
  const onFrame = () => {
    if (own !== run) return;
    sampleBoxes(whole); // where the timers of the page left them
    setTimeout(() => {
      if (own === run) sampleBoxes(whole); // and where the callbacks of the frame did
    });
    requestAnimationFrame(onFrame);
  };
  sampleBoxes(whole);
  if (tracked.length > 0) requestAnimationFrame(onFrame);
  return true;
}

/** endTexts gives the boxes, the texts that appeared or disappeared, and all texts again. */
export function endTexts(whole: boolean) {
  sampleBoxes(whole);
  const passing = listPassingTexts(new Set(tracked.map((t) => t.node)));
  const boxes = tracked.flatMap((t) => t.boxes);
  stopTracking();
  return { ...gatherTexts().message, boxes, ...passing, width: innerWidth };
}

export function stopTracking(): true {
  run++;
  stopPassing();
  tracked = [];
  return true;
}
