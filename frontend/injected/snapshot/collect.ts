// The walk over a page that gives the lines of a snapshot.
import { bodyOf, isAriaHidden, isEditable, isElement, isFrame, isLabel, isTextNode } from "./dom";
import { findVisibleRange } from "./longlist";
import type { Point } from "./geometry";
import { intersectsViewport, offsetOf } from "./geometry";
import { forgetLabels, nameOf } from "./names";
import { foreignNumber, refOf } from "./refs";
import { CELL, GROUPS, INLINE, isFocusable, NAMED_BY_TEXT, PICTURES, roleOf, SKIPPED, tagKind, USABLE } from "./roles";
import { statesOf } from "./states";
import { quoteSanitized, sanitizeText, truncate } from "./text";
import { focusedElement, forEachChild, innerDocument, parentOf, shadowOf } from "./tree";
import { isLeaf, isRendered, isVisible } from "./visibility";

const MOST_NODES = 60000;
const VISIBLE_LIMIT = 200; // characters of a text in view that a line has; browser_read gives all of it
const DISTANT_LIMIT = 80; // characters of a text that is not in view, and of the name of what can be used

/** Item is a line of a snapshot. */
export interface Item {
  el: Element;
  offset: Point; // where its document begins in the window
  inView: boolean;
  role: string;
  name: string;
  usable: boolean; // it can be clicked or typed into, and has a ref
  line: string;
}

/** Place is where a text is. */
interface Place {
  offset: Point;
  outOfView: boolean;
  inView: boolean; // both are false as long as it is not known
  shown: boolean; // the style does not hide it
}

/** Context is what a walk knows about a node from the elements around it. */
interface Context extends Place {
  named: boolean; // a name contains the text already
  pointer: boolean; // the pointer is a hand
}

const isEntryField = (el: Element, role: string) =>
  el.tagName === "SELECT" || el.tagName === "TEXTAREA" || (role === "textbox" && isEditable(el));

class Collector {
  readonly items: Item[] = [];
  cut = false; // at MOST_NODES
  private readonly focus = focusedElement();
  private readonly width = innerWidth;
  private readonly height = innerHeight;
  private nodes = 0;
  private text = ""; // of the line that is being read
  private owner: Element | null = null; // the first element that has some of it
  private ownerPlace: Place | null = null;

  constructor(private readonly viewOnly: boolean) {}

  /** flush ends the line of text. */
  flush(): void {
    if (this.owner && this.ownerPlace) this.addText(this.owner, this.ownerPlace);
    this.owner = null;
    this.text = "";
  }

  private addText(el: Element, at: Place): void {
    let name = sanitizeText(this.text, 400);
    if (name.includes("|")) name = name.replace(/^(\| ?)+|( ?\|)+$/g, "").trim();
    if (!name) return;
    const inView = !at.outOfView && (at.inView || intersectsViewport(el, at.offset));
    const line = quoteSanitized(truncate(name, inView ? VISIBLE_LIMIT : DISTANT_LIMIT));
    this.items.push({ el, offset: at.offset, inView, role: "text", name, usable: false, line });
  }

  private write(el: Element, data: string, at: Place): void {
    if (data.trim() === "") this.text += " ";
    else if (at.shown) {
      if (!this.owner) {
        this.owner = el;
        this.ownerPlace = at;
      }
      if (this.text.length < 2000) this.text += data.slice(0, 2000);
    }
  }

  /**
   * visit adds a node and its content. It calls itself through forEachChild and nothing else, so that a page of any
   * depth that Chromium can render fits the stack.
   */
  readonly visit = (n: Node, at: Context): void => {
    if (this.cut) return;
    if (++this.nodes > MOST_NODES) {
      this.cut = true;
      return;
    }
    if (isTextNode(n)) {
      if (!at.named) this.write(parentOf(n) as Element, n.data, at);
      return;
    }
    if (!isElement(n)) return;
    const kind = tagKind(n.tagName);
    const hasAttributes = n.hasAttributes();
    if (kind & SKIPPED || (hasAttributes && isAriaHidden(n))) return;
    let shown = isVisible(n);
    if (!shown) {
      if (!isRendered(n)) return;
      shown = getComputedStyle(n).display === "contents" && at.shown;
    }
    const block = !(kind & (INLINE | CELL));
    let { outOfView } = at;
    let inView = false;
    if (block && !outOfView) {
      // Nothing costs as much as to ask where an element is.
      const r = n.getBoundingClientRect();
      const x = r.x + at.offset.x;
      const y = r.y + at.offset.y;
      inView = x < this.width && y < this.height && x + r.width > 0 && y + r.height > 0;
      outOfView = !inView && r.width > 0 && r.height > 0;
      if (outOfView && this.viewOnly) {
        this.flush();
        return;
      }
    }
    const role = roleOf(n);
    let usable = shown && role !== "" && (USABLE.has(role) || role.endsWith(" input"));
    let pointer = at.pointer || usable; // what is in a link has the pointer of the link
    if (role === "" && !at.named) {
      pointer = getComputedStyle(n).cursor === "pointer";
      usable = shown && pointer && !at.pointer;
    }
    if (role === "" && hasAttributes && shown && !usable) usable = n.hasAttribute("onclick") || isFocusable(n);
    if (kind & CELL) this.text += " | ";
    else if (block) this.flush();
    const inside = { offset: at.offset, named: at.named, outOfView, shown, pointer, inView };
    if (usable || (role !== "" && isListed(role, at.named, shown))) {
      if (!this.visitListed(n, role, usable, at, inside)) return;
    }
    // The control of a label has its text as a name.
    if (isLabel(n) && n.control && (n.control as HTMLInputElement).type !== "hidden") inside.named = true;
    if (isLeaf(n)) {
      if (!inside.named && n.textContent !== "") this.write(n, n.textContent, inside);
    } else if (!outOfView && n.childElementCount > 60 && !shadowOf(n) && n.tagName !== "SLOT") {
      this.visitLongList(n, inside);
    } else forEachChild(n, this.visit, inside);
    if (block || usable) this.flush();
  };

  /** visitListed adds the line of an element that has one. It reports whether its content has lines too. */
  private visitListed(n: Element, role: string, usable: boolean, at: Context, inside: Context): boolean {
    const word = role || "clickable";
    const name = nameOf(n, word);
    if (usable || name || GROUPS.has(word)) {
      this.flush();
      const inView = !inside.outOfView && (inside.inView || intersectsViewport(n, at.offset));
      const item = { el: n, offset: at.offset, inView, role: word, name, usable, line: "" };
      if (this.addElement(item, inside.outOfView)) return false;
    }
    if (isEntryField(n, role)) return false;
    inside.named = at.named || (NAMED_BY_TEXT.has(word) && name !== "");
    return true;
  }

  private visitLongList(n: Element, at: Context): void {
    const range = findVisibleRange(n.children, at.offset, this.height);
    if (!range) {
      forEachChild(n, this.visit, at);
      return;
    }
    const outside = { ...at, outOfView: true, inView: false };
    let inRange = false;
    for (let c: Node | null = this.viewOnly ? range.from : n.firstChild; c; c = c.nextSibling) {
      if (c === range.from) inRange = true;
      if (c === range.to) {
        inRange = false;
        if (this.viewOnly) return;
      }
      this.visit(c, inRange ? at : outside);
    }
  }

  /** addElement adds an item and completes its line. It reports whether it added the content as well, as of a frame. */
  private addElement(item: Item, outOfView: boolean): boolean {
    const { el, name } = item;
    const holds = isFrame(el);
    const doc = holds ? innerDocument(el) : null;
    const number = holds && !doc ? foreignNumber(el) : 0;
    let line = (item.usable ? refOf(el) + " " : "") + item.role;
    if (name) line += " " + quoteSanitized(truncate(name, DISTANT_LIMIT));
    for (const state of statesOf(el, item.role, this.focus)) line += " " + state;
    if (holds && !doc && !number) line += " (its content cannot be told yet)";
    item.line = line;
    this.items.push(item);
    // The program replaces this line by those of the frame. No page can write the character.
    if (number) this.items.push({ ...item, role: "frame", name: "", usable: false, line: `\u0001${number}` });
    if (!doc) return false;
    const r = el.getBoundingClientRect();
    const offset = { x: item.offset.x + r.x + el.clientLeft, y: item.offset.y + r.y + el.clientTop };
    this.visit(bodyOf(doc), { offset, named: false, outOfView, shown: true, pointer: false, inView: false });
    this.flush();
    return true;
  }
}

/** isListed reports whether an element that cannot be used has a line, if it has a name. */
function isListed(role: string, named: boolean, shown: boolean): boolean {
  return (role === "heading" && !named) || (GROUPS.has(role) && shown) || (PICTURES.has(role) && !named);
}

/**
 * collect walks the page as it is rendered and gives its items in reading order; cut says that there are too
 * many nodes. With viewOnly it skips what cannot be in view, which is most of a long page.
 */
export function collect(viewOnly = false, root: Element = bodyOf(document)): { items: Item[]; cut: boolean } {
  forgetLabels();
  const collector = new Collector(viewOnly);
  collector.visit(root, {
    offset: offsetOf(root),
    named: false,
    outOfView: false,
    shown: true,
    pointer: false,
    inView: false,
  });
  collector.flush();
  return { items: collector.items, cut: collector.cut };
}
