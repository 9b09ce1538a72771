import { isElement, listen, report, targetOf } from "./report";

const TEXT_FIELD =
  "textarea, input:not([type=button], [type=submit], [type=reset], [type=checkbox], [type=radio], [type=range], " +
  "[type=color], [type=file], [type=image])";

/** isOverText reports whether a point is on text that can be selected. */
function isOverText(el: Element, x: number, y: number): boolean {
  const caret = (document as Partial<Document>).caretPositionFromPoint?.(x, y);
  if (caret?.offsetNode.nodeType !== 3 || getComputedStyle(el).userSelect === "none") return false;
  const range = document.createRange();
  range.selectNodeContents(caret.offsetNode);
  return [...range.getClientRects()].some((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom);
}

/** cursorAt gives the shape of the pointer over a node, as the CSS property cursor names it. */
export function cursorAt(n: Node | undefined, x: number, y: number): string {
  if (!isElement(n)) return "default";
  const shape = getComputedStyle(n).cursor.split(",").pop()?.trim() ?? "auto";
  if (shape !== "auto") return shape;
  if (n.matches(TEXT_FIELD) || (n as HTMLElement).isContentEditable) return "text";
  return isOverText(n, x, y) ? "text" : "default";
}

/**
 * reportCursor reports the shape of the pointer when it changes. A frame reports it for each move, because the pointer
 * may have been outside.
 */
export function reportCursor(): void {
  let reported = "";
  listen("mousemove", (e) => {
    const now = cursorAt(targetOf(e), e.clientX, e.clientY);
    if (now === reported && self === top) return;
    reported = now;
    report({ t: "cursor", text: now });
  });
}
