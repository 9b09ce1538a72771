// What a picture must not show. The program knows the secrets, and this script knows where texts are: it gives the
// program every text of the page in pieces. Then, until the picture is taken, it records with each frame where the
// pieces are that the program names. Nothing here changes the page.
import type { Root } from "./dom";
import { isElement, isTextNode } from "./dom";
import { foreignNumber } from "./refs";
import { childrenOf, innerDocument, onAdoptedRoot, shadowOf } from "./tree";
import { rootElementOf, tagNameOf } from "./native";

const SILENT_TAGS = new Set("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE DATALIST".split(" "));
const UNREADABLE_TYPES = ["hidden", "password", "checkbox", "radio", "range", "color", "image"];
const MAX_CHARACTERS = 4 << 20; // that may come and go while one picture is taken
const OBSERVED = {
  subtree: true,
  childList: true,
  characterData: true,
  characterDataOldValue: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: ["value", "placeholder", "alt", "label"],
};

/** Piece is a text and what contains it: a text node, or an element, which is redacted whole. */
export interface Piece {
  node: Node;
  text: string;
}

/** Frame is a frame that this script cannot read. */
export interface Frame {
  id: number;
  number: number; // its number in the program, 0 for a frame inside of another one
  node: Node;
}

// The numbers of nodes in messages to the program: those of elements are negative.
const ids = new WeakMap<Node, number>();
let lastId = 0;

function idOf(n: Node): number {
  let id = ids.get(n);
  if (id === undefined) ids.set(n, (id = ++lastId * (isTextNode(n) ? 1 : -1)));
  return id;
}

/** generatedText gives the text that the style of an element adds before or after it. */
function generatedText(el: Element, pseudo: string): string {
  const { content } = getComputedStyle(el, pseudo);
  if (content === "none" || content === "normal") return "";
  if (content.includes("attr(")) return [...el.attributes].map((a) => a.value).join("");
  return unquoteContent(content);
}

/** unquoteContent gives the text of a CSS content property that consists of strings. */
export function unquoteContent(content: string): string {
  return content.replace(/^"|"$|" "|\\(?=["\\])/g, "");
}

const isMasked = (el: Element) => getComputedStyle(el).getPropertyValue("-webkit-text-security") !== "none";

/** fieldText gives the text that a field or a picture shows, null for other elements. */
function fieldText(el: Element): string | null {
  switch (tagNameOf(el)) {
    case "INPUT": {
      const input = el as HTMLInputElement;
      return UNREADABLE_TYPES.includes(input.type) || isMasked(el) ? "" : input.value || input.placeholder;
    }
    case "TEXTAREA": {
      const area = el as HTMLTextAreaElement;
      return isMasked(el) ? "" : area.value || area.placeholder;
    }
    case "SELECT":
      return [...el.querySelectorAll<HTMLOptionElement>("option, optgroup")].map((o) => o.label).join("");
    case "IMG": {
      const image = el as HTMLImageElement;
      return image.complete && image.naturalWidth > 0 ? "" : image.alt;
    }
  }
  return null;
}

const FRAME_TAGS = ["IFRAME", "FRAME", "EMBED", "FENCEDFRAME"];

const holdsDocument = (el: Element) =>
  FRAME_TAGS.includes(tagNameOf(el)) ||
  (tagNameOf(el) === "OBJECT" && Boolean((el as HTMLObjectElement).contentWindow));

/** Gatherer collects the texts of the page in the order of the document. */
class Gatherer {
  readonly pieces: Piece[] = [];
  readonly frames: Frame[] = [];
  readonly roots: Root[] = [document];

  private add(node: Node, text: string): void {
    if (text) this.pieces.push({ node, text });
  }

  /** visit adds a node. The texts of a frame of the same process belong to the frame element. */
  visit(n: Node, frame: Element | null): void {
    if (isTextNode(n)) this.add(frame ?? n, n.data);
    if (!isElement(n) || SILENT_TAGS.has(tagNameOf(n))) return;
    const field = fieldText(n);
    if (field !== null) this.add(frame ?? n, field);
    else if (holdsDocument(n)) this.visitFrame(n, frame);
    else {
      const shadow = shadowOf(n);
      if (shadow) this.roots.push(shadow);
      this.add(frame ?? n, generatedText(n, "::before"));
      for (const c of childrenOf(n)) this.visit(c, frame);
      this.add(frame ?? n, generatedText(n, "::after"));
    }
  }

  private visitFrame(n: Element, frame: Element | null): void {
    const node = frame ?? n;
    const doc = tagNameOf(n) === "EMBED" ? null : innerDocument(n);
    if (!doc) this.frames.push({ id: idOf(node), number: frame ? 0 : foreignNumber(n), node });
    else {
      this.roots.push(doc);
      this.visit(doc.documentElement, node);
    }
  }
}

let pieces: Piece[] = []; // that the program got last
let frames: Frame[] = [];

/** pieceAt gives a piece of the last gatherTexts by its position. */
export const pieceAt = (i: number) => pieces[i];

/** listFrames lists the frames of the last gatherTexts. */
export const listFrames = () => frames;

/** gatherTexts gives every text of the page, and the frames whose texts it cannot read. */
export function gatherTexts() {
  const gatherer = new Gatherer();
  gatherer.visit(rootElementOf(document), null);
  pieces = gatherer.pieces;
  frames = gatherer.frames;
  const message = {
    ids: pieces.map((p) => idOf(p.node)),
    texts: pieces.map((p) => p.text),
    frames: frames.map(({ id, number }) => ({ id, number })),
  };
  return { roots: gatherer.roots, message };
}

// Texts that appear or disappear between two calls of gatherTexts.
let records: MutationRecord[] = [];
let newRoots: ShadowRoot[] | null = null; // closed ones that the program found, null unless observed
const observer = new MutationObserver((list) => {
  records = records.concat(list);
});
onAdoptedRoot((root) => newRoots?.push(root));

export function observePassing(roots: Root[]): void {
  for (const root of roots) observer.observe(root, OBSERVED);
  newRoots = [];
}

export function stopPassing(): void {
  observer.disconnect();
  records = [];
  newRoots = null;
}

/** textWithout gives the text of a node without the parts that are redacted anyway. */
function textWithout(n: Node, redacted: Set<Node>): string {
  if (redacted.has(n)) return "";
  if (isTextNode(n)) return n.data;
  const shadow = isElement(n) ? shadowOf(n) : null;
  return [...(shadow?.childNodes ?? []), ...n.childNodes].map((c) => textWithout(c, redacted)).join("");
}

/** listPassingTexts lists the texts that appeared or disappeared. lost means that there were too many. */
export function listPassingTexts(redacted: Set<Node>): { passed: string[]; lost: boolean } {
  records = records.concat(observer.takeRecords());
  const texts = new Set<string>();
  let size = 0;
  const add = (text: string | null | undefined) => {
    if (!text || texts.has(text)) return;
    size += text.length;
    if (size <= MAX_CHARACTERS) texts.add(text);
  };
  const joinTexts = (list: Iterable<Node>) => Array.from(list, (n) => textWithout(n, redacted)).join("");
  for (const root of newRoots ?? []) add(textWithout(root, redacted));
  for (const r of records) {
    if (r.type === "childList") {
      add(joinTexts(r.removedNodes));
      add(joinTexts(r.addedNodes));
    } else if (!redacted.has(r.target)) {
      add(r.oldValue);
      add(
        r.type === "attributes" ? (r.target as Element).getAttribute(r.attributeName ?? "") : (r.target as Text).data,
      );
    }
  }
  return { passed: [...texts], lost: size > MAX_CHARACTERS };
}
