// The text of the page for the user's search: in the document, its shadow roots, the frames of its process, and fields.
import { bodyOf, isElement, isFrame, isTextNode } from "./dom";
import { childrenOf, innerDocument } from "./tree";
import { isRendered, isVisible } from "./visibility";
import { documentOf, parentElementOf, rootOf, tagNameOf } from "./native";

const MAX_NODES = 200000;
const MAX_DEPTH = 1000;
const MAX_FIELDS = 100; // that the program opens
const BLOCKS = `p,div,li,ul,ol,dl,dt,dd,td,th,tr,table,h1,h2,h3,h4,h5,h6,section,article,header,footer,main,nav,aside,
  form,fieldset,pre,blockquote,figure,figcaption,button,option,label,body`;
const SKIPPED_TAGS = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "OPTION", "HEAD", "SELECT"]);
const TEXT_TYPES = new Set(["text", "search", "url", "email", "tel", "number", "button", "submit", "reset"]);

/** The roots in which Chromium stores the text of fields. The program opens them. */
const fieldRoots = new WeakMap<Element, ShadowRoot>();

export function openField(root: ShadowRoot): void {
  fieldRoots.set(root.host, root);
}

/** foldCase gives a text in lower case with the same length, so that positions in both are the same. */
export function foldCase(text: string): string {
  const low = text.toLowerCase();
  if (low.length === text.length) return low;
  return Array.from(text, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

const isTextField = (el: Element): el is TextField =>
  tagNameOf(el) === "TEXTAREA" || (tagNameOf(el) === "INPUT" && TEXT_TYPES.has((el as HTMLInputElement).type));

interface Part {
  node: Text;
  block: Node; // the text of a block is one line
}

/** TextReader lists the text nodes that are rendered. */
class TextReader {
  readonly parts: Part[] = [];
  readonly closedFields: Element[] = []; // that contain the text and are not open yet
  private nodes = 0;

  constructor(private readonly want: string) {}

  visit(n: Node, depth: number): void {
    if (++this.nodes > MAX_NODES || depth > MAX_DEPTH) return;
    if (isTextNode(n)) this.addText(n);
    if (!isElement(n) || SKIPPED_TAGS.has(tagNameOf(n)) || !isRendered(n)) return;
    if (isTextField(n)) {
      if (isVisible(n)) this.addField(n);
      return;
    }
    if (tagNameOf(n) === "INPUT") return;
    const doc = isFrame(n) ? innerDocument(n) : null;
    if (doc) this.visit(bodyOf(doc), depth + 1);
    for (const c of childrenOf(n)) this.visit(c, depth + 1);
  }

  private addText(node: Text): void {
    const root = rootOf(node);
    const parent = parentElementOf(node) ?? (root as ShadowRoot).host;
    if (!/\S/.test(node.data) || !isVisible(parent)) return;
    this.parts.push({ node, block: parentElementOf(node)?.closest(BLOCKS) ?? root });
  }

  private addField(el: TextField): void {
    const root = fieldRoots.get(el);
    if (!root) {
      if (this.closedFields.length < MAX_FIELDS && foldCase(el.value).includes(this.want)) this.closedFields.push(el);
      return;
    }
    const texts = documentOf(el).createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let n = texts.nextNode(); n; n = texts.nextNode()) this.parts.push({ node: n as Text, block: root });
  }
}

/** Located is a text node and the position of its text in the text of the page. */
interface Located {
  node: Text;
  start: number;
}

function joinParts(parts: Part[]): { text: string; nodes: Located[] } {
  const nodes: Located[] = [];
  let text = "";
  let block: Node | null = null;
  for (const part of parts) {
    if (part.block !== block) text += "\n";
    block = part.block;
    nodes.push({ node: part.node, start: text.length });
    text += part.node.data.replace(/\s/g, " ");
  }
  return { text: foldCase(text), nodes };
}

/**
 * positionAt gives the node and the offset of a position in the text of the page. The end of a match belongs to the
 * node of its last character.
 */
function positionAt(nodes: Located[], position: number, isEnd: boolean): [Text, number] | null {
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((nodes[middle]?.start ?? 0) <= (isEnd ? position - 1 : position)) low = middle;
    else high = middle - 1;
  }
  const found = nodes[low];
  return found ? [found.node, Math.min(position - found.start, found.node.data.length)] : null;
}

/** searchText finds a text, at most limit times, and the fields that have to be opened to search them. */
export function searchText(query: string, limit: number): { ranges: Range[]; closedFields: Element[] } {
  const want = foldCase(query);
  const reader = new TextReader(want);
  reader.visit(bodyOf(document), 0);
  const { text, nodes } = joinParts(reader.parts);
  const ranges: Range[] = [];
  for (let i = text.indexOf(want); i >= 0 && ranges.length < limit; i = text.indexOf(want, i + want.length)) {
    const start = positionAt(nodes, i, false);
    const end = positionAt(nodes, i + want.length, true);
    if (!start || !end) break;
    const range = start[0].ownerDocument.createRange();
    range.setStart(...start);
    range.setEnd(...end);
    ranges.push(range);
  }
  return { ranges, closedFields: reader.closedFields };
}
