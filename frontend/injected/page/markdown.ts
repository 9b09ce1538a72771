// The content of a page as Markdown.
import { asControl, bodyOf, isAriaHidden, isElement, isFrame, isImage, isTextNode } from "./dom";
import { roleOf } from "./roles";
import { childrenOf, innerDocument } from "./tree";
import { isRendered } from "./visibility";
import { attributeOf, closestOf, parentElementOf, tagNameOf, textContentOf } from "./native";

const words = (list: string) => new Set(list.split(/\s+/));

const SIDE_TAGS = words("NAV ASIDE FOOTER HEADER");
const SIDE_ROLES = words("navigation complementary contentinfo banner search");
const SKIPPED_TAGS = words("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE DATALIST SVG svg BUTTON SELECT");
const BLOCK_TAGS = words(`P DIV SECTION ARTICLE MAIN UL OL LI TABLE PRE BLOCKQUOTE H1 H2 H3 H4 H5 H6 FORM FIELDSET
  FIGURE DL DT DD HR NAV ASIDE FOOTER HEADER DETAILS SUMMARY ADDRESS BODY IFRAME DIALOG`);
const WITHOUT_TEXT = ["password", "hidden", "checkbox", "radio", "submit", "button"];
const MAX_CHARACTERS = 1 << 20;
const MAX_DEPTH = 400;
const BREAK = "\u0001"; // a line break in a text whose other white space is not yet normalized

/** stripControls removes characters that turn or hide text, and keeps its lines. */
export function stripControls(value: unknown): string {
  return String(value)
    .toWellFormed()
    .replace(/\p{Cf}/gu, "")
    .replace(/[^\P{Cc}\n\t]/gu, " ");
}

/** MarkdownWriter collects the blocks of a page. With whole it includes parts beside the content, such as menus. */
export class MarkdownWriter {
  readonly blocks: string[] = [];
  private text = ""; // of the block that is being read
  private size = 0;

  constructor(private readonly whole: boolean) {}

  /** endBlock ends the block that is being read. */
  endBlock(prefix = ""): void {
    const lines = this.text.replace(/[ \t\n]+/g, " ").split(BREAK);
    const text = lines.map((line, i) => trimBreak(line, i > 0, i < lines.length - 1)).join("\n");
    this.text = "";
    if (text.trim()) this.addBlock(prefix + text.trim());
  }

  addBlock(block: string): void {
    this.blocks.push(block);
    this.size += block.length;
  }

  addChildren(n: Element, depth: number): void {
    for (const c of childrenOf(n)) this.addNode(c, depth);
  }

  addNode(n: Node, depth: number): void {
    if (this.size > MAX_CHARACTERS || depth > MAX_DEPTH) return;
    if (isTextNode(n)) this.text += stripControls(n.data.slice(0, 100000));
    if (!isElement(n) || SKIPPED_TAGS.has(tagNameOf(n)) || !isRendered(n) || isAriaHidden(n)) return;
    const role = roleOf(n);
    if (!this.whole && isBeside(n, role)) return;
    if (this.addInline(n, depth) || this.addStructure(n, role, depth)) return;
    const doc = isFrame(n) ? innerDocument(n) : null;
    const block =
      BLOCK_TAGS.has(tagNameOf(n)) || /^(block|flex|grid|table|list-item|flow-root)/.test(getComputedStyle(n).display);
    if (block) this.endBlock();
    if (doc) this.addNode(bodyOf(doc), depth + 1);
    else this.addChildren(n, depth + 1);
    if (block) this.endBlock();
  }

  /** addInline adds an element that is part of a line. It reports false for others. */
  private addInline(n: Element, depth: number): boolean {
    switch (tagNameOf(n)) {
      case "BR":
        this.text += BREAK;
        return true;
      case "IMG":
        if (isImage(n) && n.alt) this.text += `![${stripControls(n.alt)}]`;
        return true;
      case "CODE":
      case "KBD":
      case "SAMP":
        if (parentElementOf(n)?.tagName === "PRE") return false;
        this.text += "`" + stripControls(textContentOf(n)) + "`";
        return true;
      case "A":
        this.addLink(n, depth);
        return true;
      case "INPUT":
      case "TEXTAREA": {
        const field = n as HTMLInputElement | HTMLTextAreaElement;
        if (field.value && !WITHOUT_TEXT.includes(field.type))
          this.text += ` ${stripControls(field.value.slice(0, 500))} `;
        return true;
      }
    }
    return false;
  }

  private addLink(n: Element, depth: number): void {
    const before = this.text;
    this.text = "";
    this.addChildren(n, depth + 1);
    const label = this.text.replace(/\s+/g, " ").trim();
    const { href } = asControl(n);
    const address = typeof href === "string" && /^https?:/.test(href) ? href : "";
    const short = address.startsWith(location.origin + "/") ? address.slice(location.origin.length) : address;
    const link = label && short ? `[${label}](${stripControls(short).slice(0, 200)})` : label;
    this.text = before + link + (/\s$/.test(this.text) ? " " : "");
  }

  /** addStructure adds an element that Markdown has a syntax for. It reports false for others. */
  private addStructure(n: Element, role: string, depth: number): boolean {
    if (role === "heading") {
      const level = Number(attributeOf(n, "aria-level")) || Number(tagNameOf(n)[1]) || 2;
      this.endBlock();
      this.addChildren(n, depth + 1);
      this.endBlock("#".repeat(Math.min(6, level)) + " ");
      return true;
    }
    if (role === "table" || role === "grid") {
      this.endBlock();
      const table = formatTable(n, this.whole);
      if (table) this.addBlock(table);
      if (table) return true;
    }
    switch (tagNameOf(n)) {
      case "PRE":
        this.endBlock();
        this.addBlock("```\n" + stripControls(textContentOf(n)).replace(/\n+$/, "") + "\n```");
        return true;
      case "HR":
        this.endBlock();
        this.addBlock("---");
        return true;
      case "UL":
      case "OL":
        this.endBlock();
        this.addList(n, depth);
        return true;
      case "BLOCKQUOTE": {
        this.endBlock();
        const blocks = readBlocks(n, this.whole, depth + 1);
        if (blocks.length > 0) this.addBlock(blocks.join("\n\n").replace(/^/gm, "> "));
        return true;
      }
    }
    return false;
  }

  private addList(n: Element, depth: number): void {
    const lines: string[] = [];
    let number = Number(attributeOf(n, "start")) || 1;
    for (const item of childrenOf(n)) {
      if (!isElement(item) || !isRendered(item)) continue;
      const blocks = readBlocks(item, this.whole, depth + 1);
      if (blocks.length === 0) continue;
      const mark = tagNameOf(n) === "OL" ? `${number++}. ` : "- ";
      lines.push(mark + blocks.join("\n").replace(/\n/g, "\n" + " ".repeat(mark.length)));
    }
    if (lines.length > 0) this.addBlock(lines.join("\n"));
  }
}

/** trimBreak removes the one space before and after a line break. */
function trimBreak(line: string, isAfter: boolean, isBefore: boolean): string {
  if (isAfter && line.startsWith(" ")) line = line.slice(1);
  return isBefore && line.endsWith(" ") ? line.slice(0, -1) : line;
}

const isBeside = (n: Element, role: string) =>
  SIDE_ROLES.has(role) || (SIDE_TAGS.has(tagNameOf(n)) && !closestOf(n, "main, article, [role=main]"));

function readBlocks(n: Element, whole: boolean, depth: number): string[] {
  const writer = new MarkdownWriter(whole);
  writer.addChildren(n, depth);
  writer.endBlock();
  return writer.blocks;
}

const formatCell = (n: Element, whole: boolean) =>
  readBlocks(n, whole, 0).join(" ").replace(/\s+/g, " ").replace(/\|/g, "\\|");

const CELLS = "[role=cell], [role=gridcell], [role=columnheader], [role=rowheader], td, th";

function readRow(row: Element, whole: boolean): string[] {
  const out: string[] = [];
  for (const c of (row as Partial<HTMLTableRowElement>).cells ?? row.querySelectorAll<HTMLTableCellElement>(CELLS)) {
    if (!isRendered(c)) continue;
    out.push(formatCell(c, whole));
    for (let i = 1; i < Math.min(c.colSpan || 1, 50); i++) out.push("");
  }
  return out;
}

/** formatTable formats a table with its first row as the head, "" if it is empty. */
export function formatTable(n: Element, whole: boolean): string {
  const table = n as Element & Partial<HTMLTableElement>;
  const all = [...(table.rows ?? n.querySelectorAll("[role=row], tr"))].filter(isRendered);
  const rows = all.map((row) => readRow(row, whole)).filter((cells) => cells.some((c) => c));
  const [head, ...body] = rows;
  if (!head) return "";
  const width = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const formatRow = (cells: string[]) =>
    "| " + [...cells, ...new Array<string>(width - cells.length).fill("")].join(" | ") + " |";
  const caption = table.caption ? formatCell(table.caption, whole) : "";
  return (
    (caption ? caption + "\n\n" : "") +
    [formatRow(head), "|" + " --- |".repeat(width), ...body.map(formatRow)].join("\n")
  );
}
