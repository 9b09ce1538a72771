// Collects the lines of a snapshot in one walk over the page.
import { colorOfShape, hintOf, isDrawnBox, nameColor, nameShape, placeOf, SHAPES, sizeOf } from "./appearance";
import { bodyOf, isAriaHidden, isEditable, isElement, isFrame, isImage, isLabel, isTextNode } from "./dom";
import { findVisibleRange } from "./longlist";
import type { Point } from "./geometry";
import { isBoxInViewport, offsetOf } from "./geometry";
import { hasAlikeChildren, isDelegated, isListening } from "./listeners";
import { forgetLabels, nameOf } from "./names";
import {
  attributeOf,
  elementCountOf,
  elementsOf,
  firstChildOf,
  firstElementOf,
  hasAttribute,
  hasAttributes,
  nextElementOf,
  nextSiblingOf,
  queryIn,
  rectOf,
  tagNameOf,
  textContentOf,
} from "./native";
import { foreignNumber, refOf } from "./refs";
import {
  CELL,
  CLICKED,
  FORMATTING,
  GROUPS,
  INLINE,
  isFocusable,
  NAMED_BY_TEXT,
  PICTURES,
  roleOf,
  SKIPPED,
  SKIPPED_TAGS,
  tagKind,
  USABLE,
} from "./roles";
import { statesOf } from "./states";
import { quoteSanitized, sanitizeText, truncate } from "./text";
import { focusedElement, forEachChild, innerDocument, parentOf, shadowOf } from "./tree";
import { isLeaf, isRendered, isVisible } from "./visibility";

export const MAX_NODES = 60000;
const MAX_SHAPES = 80; // of a drawing
const MAX_BOXES = 200; // without text, of a page
const MAX_PARTS = 60; // of a clickable element
const MAX_VISIBLE_TEXT = 200; // characters of a text in view, in one line; browser_read gives all of it
const MAX_DISTANT_TEXT = 80; // characters of a text out of view, and of the name of a usable element

/** hasHiddenControl reports whether a label stands for a control that is not drawn, as of a styled box or button. */
function hasHiddenControl(label: HTMLLabelElement): boolean {
  const { control } = label;
  return control !== null && !isVisible(control) && (control as HTMLInputElement).type !== "hidden";
}

/** Level is a level of nesting: an element whose lines are indented. */
export interface Level {
  up: Level | null;
  inView: boolean;
}

/** Segment is the part of a line's text that one element has. */
export interface Segment {
  el: Element;
  text: string;
}

/** Item is a line of a snapshot, and a level if lines are nested in it. */
export interface Item extends Level {
  el: Element;
  offset: Point; // where its document begins in the window
  role: string;
  name: string;
  usable: boolean; // it can be clicked or typed into, and has a ref
  line: string;
  place: string; // of an element without a name; it is not part of line, because scrolling changes it
  segments: Segment[]; // of a text: those of the elements inside of el
  box: DOMRect | null; // of el in its document, if the walk had to ask for it
}

/** Place is the position of a text. */
interface Place {
  offset: Point;
  outOfView: boolean;
  inView: boolean; // both are false until it is known
  shown: boolean; // the style does not hide it
  up: Level | null;
  box: DOMRect | null; // of the element around, if it was asked for
}

/** Context is the state that a node inherits from the elements around it. */
interface Context extends Place {
  named: boolean; // a name contains the text already
  pointer: boolean; // the pointer over it is a hand
  inList: boolean; // an item of a list is around it
  parts: boolean; // each element with its own text can be clicked
  labelled: Element | null; // an element whose own text is its name
}

const isEntryField = (el: Element, role: string) =>
  tagNameOf(el) === "SELECT" || tagNameOf(el) === "TEXTAREA" || (role === "textbox" && isEditable(el));

/** indentOf counts the levels around a line that are in the same part of the snapshot. */
export function indentOf(item: Item): number {
  let n = 0;
  for (let level = item.up; level && n < 20; level = level.up) if (level.inView === item.inView) n++;
  return n;
}

/** Content is the content of a clickable element. */
interface Content {
  own: string; // its own text
  texts: number; // elements with a text, at most MAX_PARTS + 1
  icons: number; // elements without
}

function addContent(el: Element, content: Content): void {
  for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) {
    if (content.texts > MAX_PARTS) return;
    if (isTextNode(c)) content.own += c.data.slice(0, 400);
    else if (isElement(c)) addInnerContent(c, content);
  }
}

function addInnerContent(el: Element, content: Content): void {
  const tag = tagNameOf(el);
  if (SKIPPED_TAGS.has(tag) || isAriaHidden(el) || !isVisible(el)) return;
  const role = roleOf(el);
  if (role && USABLE.has(role)) return; // it has a line in any case
  if (isImage(el) || tag === "svg") {
    content.icons++;
  } else if (elementCountOf(el) > 0 && !FORMATTING.has(tag)) {
    const inner = { own: "", texts: 0, icons: 0 };
    addContent(el, inner);
    content.texts += inner.texts + (inner.own.trim() ? 1 : 0);
    content.icons += inner.icons;
  } else if (textContentOf(el).trim() === "") {
    if (hasAttributes(el)) content.icons++;
  } else if (FORMATTING.has(tag) && !hasAttributes(el)) {
    content.own += textContentOf(el).slice(0, 400);
  } else content.texts++;
}

/** contentOf gives the content of a clickable element, null if the element is clicked as a whole. */
function contentOf(el: Element): Content | null {
  if (!firstElementOf(el) || tagNameOf(el) === "TR") return null;
  const content = { own: "", texts: 0, icons: 0 };
  addContent(el, content);
  const { own, texts, icons } = content;
  const all = texts + (own.trim() ? 1 : 0);
  return all > 1 || icons > 1 ? content : null;
}

class Collector {
  readonly items: Item[] = [];
  cut = false; // at MAX_NODES
  private readonly focus = focusedElement();
  private readonly width = innerWidth;
  private readonly height = innerHeight;
  private nodes = 0;
  private boxes = 0;
  private text = ""; // of the line that is being read
  private owner: Element | null = null; // the first element with a part of it
  private last: Element | null = null; // the last element with a part of it
  private segments: Segment[] = []; // if it has several
  private lastStart = 0; // where the text of last begins
  private ownerPlace: Place | null = null;

  constructor(private readonly viewOnly: boolean) {}

  /** flush ends the line of text. */
  flush(): void {
    if (this.owner && this.ownerPlace) {
      if (this.last !== this.owner) this.endSegment();
      this.addText(this.owner, this.ownerPlace);
      this.segments = [];
    }
    this.owner = null;
    this.last = null;
    this.text = "";
  }

  private isBoxInView(box: DOMRect, offset: Point): boolean {
    return isBoxInViewport(box, offset, this.width, this.height);
  }

  private endSegment(): void {
    if (this.last) this.segments.push({ el: this.last, text: this.text.slice(this.lastStart) });
    this.lastStart = this.text.length;
  }

  private addText(el: Element, at: Place): void {
    let name = sanitizeText(this.text, 400);
    if (name.includes("|")) name = name.replace(/^(\| ?)+|( ?\|)+$/g, "").trim();
    if (!name) return;
    let { box } = at;
    const inView = !at.outOfView && (at.inView || this.isBoxInView((box ??= rectOf(el)), at.offset));
    const line = quoteSanitized(truncate(name, inView ? MAX_VISIBLE_TEXT : MAX_DISTANT_TEXT));
    const { offset, up } = at;
    const { segments } = this;
    this.items.push({ el, offset, up, inView, role: "text", name, usable: false, line, place: "", segments, box });
  }

  private write(el: Element, data: string, at: Place): void {
    if (data.trim() === "") this.text += " ";
    else if (at.shown) {
      if (!this.owner) {
        this.owner = el;
        this.ownerPlace = at;
        this.lastStart = 0;
      } else if (el !== this.last) this.endSegment();
      this.last = el;
      if (this.text.length < 2000) this.text += data.slice(0, 2000);
    }
  }

  /**
   * visit adds a node and its content. It recurses only through forEachChild, so that the stack suffices for any depth
   * that Chromium can render.
   */
  readonly visit = (n: Node, at: Context): void => {
    if (this.cut) return;
    if (++this.nodes > MAX_NODES) {
      this.cut = true;
      return;
    }
    if (isTextNode(n)) {
      if (at.named) return;
      const parent = parentOf(n) as Element;
      if (parent !== at.labelled) this.write(parent, n.data, at);
      return;
    }
    if (!isElement(n)) return;
    const tag = tagNameOf(n);
    const kind = tagKind(tag);
    const attributed = hasAttributes(n);
    if (kind & SKIPPED || (attributed && isAriaHidden(n))) return;
    let shown = isVisible(n);
    if (!shown) {
      if (!isRendered(n)) return;
      shown = getComputedStyle(n).display === "contents" && at.shown;
    }
    const block = !(kind & (INLINE | CELL));
    let { outOfView } = at;
    let inView = false;
    let box: DOMRect | null = null;
    if (block && !outOfView) {
      // Reading the box of an element is the most expensive step.
      box = rectOf(n);
      const { width, height } = box;
      const x = box.x + at.offset.x;
      const y = box.y + at.offset.y;
      inView = x < this.width && y < this.height && x + width > 0 && y + height > 0;
      outOfView = !inView && width > 0 && height > 0;
      if (outOfView && this.viewOnly) {
        this.flush();
        return;
      }
    }
    const role = roleOf(n, tag, attributed);
    let usable = shown && role !== "" && (USABLE.has(role) || role.endsWith(" input"));
    let pointer = at.pointer || usable; // the content of a link has the pointer of the link
    const label = isLabel(n) ? n : null;
    if (role === "" && shown) {
      if (!at.named) {
        pointer = getComputedStyle(n).cursor === "pointer";
        usable = (pointer && !at.pointer && tag !== "BODY") || (at.parts && this.isPart(n));
      }
      if (!usable && (attributed || isListening(n))) usable = isOperated(n);
      // The control of a label has its text as a name. If the control is hidden, the label is what can be used.
      if (label?.control) usable = hasHiddenControl(label);
      if (!usable && isDelegated(n)) usable = true;
    }
    if (tag === "svg" && role === "") {
      this.visitDrawing(n, usable, at, outOfView);
      return;
    }
    if (role === "" && !usable && attributed && shown && !at.named) {
      const empty = this.findEmptyBox(n, at, outOfView, box);
      if (empty) {
        this.flush();
        this.addBox(n, at, empty);
        return;
      }
    }
    if (kind & CELL) this.text += " | ";
    else if (block) this.flush();
    const inside: Context = {
      offset: at.offset,
      named: at.named,
      outOfView,
      shown,
      pointer,
      inView,
      up: at.up,
      inList: at.inList || tag === "LI",
      parts: at.parts && !usable,
      labelled: null,
      box,
    };
    if (at.inList && (tag === "UL" || tag === "OL")) {
      inside.up = { up: at.up, inView: !outOfView };
      inside.inList = false;
    }
    const before = this.items.length;
    if (usable || (role !== "" && isListed(role, at.named, shown))) {
      if (!this.visitListed(n, role, usable, at, inside)) return;
    }
    if (label?.control && !hasHiddenControl(label)) inside.named = true;
    const shadow = shadowOf(n);
    if (!shadow && tag !== "SLOT" && !firstElementOf(n)) {
      const content = inside.named || n === inside.labelled ? "" : textContentOf(n);
      if (content !== "") this.write(n, content, inside);
    } else if (!outOfView && !shadow && tag !== "SLOT" && elementCountOf(n) > 60) {
      this.visitLongList(n, inside);
    } else forEachChild(n, this.visit, inside, shadow);
    if (block || usable) this.flush();
    if (usable && this.items.length === before + 2) this.mergeLast();
  };

  /** isPart reports whether an element inside a clickable one is a target of its own. */
  private isPart(n: Element): boolean {
    const inner = firstElementOf(n);
    if (!inner) return textContentOf(n).trim() !== "" || hasAttributes(n);
    for (let c: Element | null = inner; c; c = nextElementOf(c)) {
      if (!FORMATTING.has(tagNameOf(c)) || hasAttributes(c)) return tagNameOf(n) === "svg";
    }
    return true;
  }

  /** findEmptyBox gives the box of an element that is visible although it has no content; null for others. */
  private findEmptyBox(n: Element, at: Context, outOfView: boolean, box: DOMRect | null): DOMRect | null {
    if (firstChildOf(n) && (!isLeaf(n) || textContentOf(n).trim() !== "")) return null;
    if (outOfView || shadowOf(n) || tagNameOf(n) === "SLOT" || this.boxes >= MAX_BOXES) return null;
    if (tagNameOf(n) === "BODY" || isImage(n)) return null;
    const r = box ?? rectOf(n);
    const least = at.parts || tagKind(tagNameOf(n)) & INLINE ? 12 : 8;
    if (r.width < least || r.height < least || r.width * r.height > (this.width * this.height) / 4) return null;
    return isDrawnBox(getComputedStyle(n)) ? r : null;
  }

  private addBox(n: Element, at: Context, r: DOMRect): void {
    this.boxes++;
    const color = nameColor(getComputedStyle(n).backgroundColor);
    const states = [color, sizeOf(r), hintOf(n)];
    const title = sanitizeText(attributeOf(n, "title") ?? attributeOf(n, "aria-label") ?? "", MAX_DISTANT_TEXT);
    this.addDescribed(n, "box", title, states, at, r);
  }

  /** addDescribed adds an element that is described by its looks. */
  private addDescribed(el: Element, role: string, name: string, states: string[], at: Context, box: DOMRect): Item {
    let line = refOf(el) + " " + role;
    if (name) line += " " + quoteSanitized(truncate(name, MAX_DISTANT_TEXT));
    for (const state of states) if (state) line += " " + state;
    const { offset, up } = at;
    const inView = !at.outOfView && this.isBoxInView(box, offset);
    const place = inView && !name ? placeOf(box, offset) : "";
    const item = { el, offset, up, inView, role, name, usable: true, line, place, segments: [], box };
    this.items.push(item);
    return item;
  }

  /** visitDrawing adds an SVG element: an icon as one line if it can be clicked, a drawing shape by shape. */
  private visitDrawing(n: Element, usable: boolean, at: Context, outOfView: boolean): void {
    if (at.named && !usable) return;
    const r = rectOf(n);
    if (r.width < 1 || r.height < 1) return;
    const title = sanitizeText(attributeOf(n, "aria-label") ?? titleIn(n), MAX_DISTANT_TEXT);
    const shapes = [...queryIn(n, SHAPES)];
    const isIcon = Math.max(r.width, r.height) < 48 && !shapes.some(isListening);
    if (isIcon || outOfView) {
      if (!usable && !title) return;
      this.flush();
      if (usable) this.addDescribed(n, "clickable", title, [title ? "" : hintOf(n)], { ...at, outOfView }, r);
      else this.addDescribed(n, "img", title, [], { ...at, outOfView }, r);
      return;
    }
    this.flush();
    const drawing = this.addDescribed(n, "drawing", title, [sizeOf(r)], at, r);
    let listed = 0;
    for (const shape of shapes) {
      if (listed >= MAX_SHAPES) break;
      if (this.addShape(shape, { ...at, up: drawing })) listed++;
    }
  }

  private addShape(el: Element, at: Context): boolean {
    const r = rectOf(el);
    if (!isVisible(el) || Math.max(r.width, r.height) < 3) return false;
    const color = colorOfShape(getComputedStyle(el));
    const tag = tagNameOf(el);
    if (!color && tag !== "image" && tag !== "use" && !isListening(el)) return false;
    const own = tag === "text" ? textContentOf(el) : titleIn(el);
    const name = sanitizeText(attributeOf(el, "aria-label") ?? own, MAX_DISTANT_TEXT);
    this.addDescribed(el, nameShape(el), name, [color, sizeOf(r), name ? "" : hintOf(el)], at, r);
    return true;
  }

  /** visitListed adds the line of an element that has one. It reports whether its content has lines too. */
  private visitListed(n: Element, role: string, usable: boolean, at: Context, inside: Context): boolean {
    let { box } = inside;
    if (role === "" && !isFocusable(n)) {
      const sole = soleContentOf(n);
      if (sole !== n) box = null;
      n = sole;
    }
    const word = role || "clickable";
    const content = word === "clickable" ? contentOf(n) : null;
    let name = "";
    if (!content) name = nameOf(n, word);
    else if (content.texts > MAX_PARTS) {
      if (!isOperated(n)) return true; // for example the whole page
      name = nameOf(n, word);
    } else {
      name = sanitizeText(attributeOf(n, "aria-label") ?? content.own, 160);
      inside.labelled = n;
      inside.parts = true;
    }
    if (usable || name || GROUPS.has(word)) {
      this.flush();
      const { offset, up } = at;
      const inView = !inside.outOfView && (inside.inView || this.isBoxInView((box ??= rectOf(n)), offset));
      const item = { el: n, offset, up, inView, role: word, name, usable, line: "", place: "", segments: [], box };
      if (this.addElement(item, inside.outOfView)) return false;
      if (usable || GROUPS.has(word)) {
        inside.up = item;
        inside.inList = false;
      }
    }
    if (isEntryField(n, role)) return false;
    inside.named = !content && (at.named || (NAMED_BY_TEXT.has(word) && name !== ""));
    return true;
  }

  /**
   * mergeLast merges the lines of a clickable element and of the only line inside it, if they have the same name. A
   * role says more than "clickable".
   */
  private mergeLast(): void {
    const inner = this.items.at(-1);
    const outer = this.items.at(-2);
    if (!inner || !outer || inner.up !== outer || !inner.usable || !CLICKED.has(outer.role)) return;
    if (inner.name !== outer.name && outer.name !== "") return;
    if (outer.role === "clickable") {
      inner.up = outer.up;
      this.items.splice(-2, 1);
    } else if (CLICKED.has(inner.role) && inner.name === outer.name) {
      if (inner.role !== "clickable") {
        const states = inner.line.replace(/^\S+ [a-z]+(?: "(?:[^"\\]|\\.)*")?/, "");
        outer.line = outer.line.replace(/^\S+/, refOf(inner.el)) + (outer.line.endsWith(states) ? "" : states);
        outer.el = inner.el;
        outer.box = inner.box;
      }
      this.items.pop();
    }
  }

  private visitLongList(n: Element, at: Context): void {
    const range = findVisibleRange(elementsOf(n), at.offset, this.height);
    if (!range) {
      forEachChild(n, this.visit, at);
      return;
    }
    const outside = { ...at, outOfView: true, inView: false };
    let inRange = false;
    for (let c: Node | null = this.viewOnly ? range.from : firstChildOf(n); c; c = nextSiblingOf(c)) {
      if (c === range.from) inRange = true;
      if (c === range.to) {
        inRange = false;
        if (this.viewOnly) return;
      }
      this.visit(c, inRange ? at : outside);
    }
  }

  /** addElement adds an item and completes its line. It reports whether it added the content, too, as for a frame. */
  private addElement(item: Item, outOfView: boolean): boolean {
    const { el, name } = item;
    const holds = isFrame(el);
    const doc = holds ? innerDocument(el) : null;
    const number = holds && !doc ? foreignNumber(el) : 0;
    let line = (item.usable ? refOf(el) + " " : "") + item.role;
    if (name) line += " " + quoteSanitized(truncate(name, MAX_DISTANT_TEXT));
    const control = isLabel(el) && hasHiddenControl(el) ? el.control : null;
    const [of, role] = control ? [control, roleOf(control)] : [el, item.role];
    if (control && role) line += ` for a ${role}`;
    for (const state of statesOf(of, role, this.focus)) line += " " + state;
    if (holds && !doc && !number) line += " (its content is not known yet)";
    if (!name && item.usable && !outOfView && !holds) {
      const hint = hintOf(el);
      if (item.role === "clickable" && isLeaf(el)) {
        const color = nameColor(getComputedStyle(el).backgroundColor);
        if (color) line += ` ${color} ${sizeOf((item.box ??= rectOf(el)))}`;
      }
      if (hint) line += " " + hint;
      if (!hint || CLICKED.has(item.role)) item.place = placeOf((item.box ??= rectOf(el)), item.offset);
    }
    if (item.role === "canvas") line += " " + sizeOf((item.box ??= rectOf(el)));
    item.line = line;
    this.items.push(item);
    // The program replaces this line with the lines of the frame. No page can write the character.
    if (number)
      this.items.push({
        ...item,
        up: item,
        role: "frame",
        name: "",
        usable: false,
        line: `\u0001${number}`,
        place: "",
      });
    if (!doc) return false;
    const r = (item.box ??= rectOf(el));
    const offset = { x: item.offset.x + r.x + el.clientLeft, y: item.offset.y + r.y + el.clientTop };
    this.visit(bodyOf(doc), { ...START, offset, outOfView, up: item });
    this.flush();
    return true;
  }
}

const START: Context = {
  offset: { x: 0, y: 0 },
  named: false,
  outOfView: false,
  shown: true,
  pointer: false,
  inView: false,
  up: null,
  inList: false,
  parts: false,
  labelled: null,
  box: null,
};

/**
 * soleContentOf gives the innermost element with all visible content of an element. A click on it also clicks the outer
 * one, and the page may listen on the inner one.
 */
function soleContentOf(el: Element): Element {
  for (;;) {
    const inner = firstElementOf(el);
    if (!inner || elementCountOf(el) > 1 || !(tagKind(tagNameOf(inner)) & INLINE) || roleOf(inner)) return el;
    for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) if (isTextNode(c) && c.data.trim() !== "") return el;
    if (textContentOf(inner).trim() === "" || !isVisible(inner) || isAriaHidden(inner)) return el;
    el = inner;
  }
}

/** titleIn gives the text of the title element inside an SVG element. */
function titleIn(el: Element): string {
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (tagNameOf(c) === "title") return textContentOf(c);
  return "";
}

/** isOperated reports whether an element itself shows a sign of being interactive. */
function isOperated(el: Element): boolean {
  if (hasAttribute(el, "onclick") || isFocusable(el) || attributeOf(el, "draggable") === "true") return true;
  if (!isListening(el) || hasAlikeChildren(el)) return false;
  if (!firstElementOf(el)) return true;
  const r = rectOf(el);
  return r.width * r.height < (innerWidth * innerHeight) / 4; // larger ones listen for everything inside
}

/** isListed reports whether an element that is not usable has a line, if it has a name. */
function isListed(role: string, named: boolean, shown: boolean): boolean {
  return (role === "heading" && !named) || (GROUPS.has(role) && shown) || (PICTURES.has(role) && !named);
}

/**
 * collect walks the rendered page and gives its items in reading order; cut means that the page has too many nodes.
 * With viewOnly it skips elements that cannot be in view, which are most of a long page.
 */
export function collect(viewOnly = false, root: Element = bodyOf(document)): { items: Item[]; cut: boolean } {
  forgetLabels();
  const collector = new Collector(viewOnly);
  collector.visit(root, { ...START, offset: offsetOf(root) });
  collector.flush();
  return { items: collector.items, cut: collector.cut };
}
