import { Lexer, type Token } from "marked";

/** A block that is longer is shown as plain text: parsing it would block the window. */
const maxLength = 200_000;
/** A long text is read in parts, as if it were streamed. */
const partLength = 50_000;
/** The time for emphasis and links grows with the square of a paragraph's length; a longer paragraph has none. */
const maxInline = 10_000;

/** A part of a text between two blank lines, roughly: a paragraph, a list, a block of code. */
export interface MarkdownBlock {
  /** Where it begins in the text. */
  at: number;
  raw: string;
  /** Null: it cannot be parsed, or is too long for it. */
  token: Token | null;
}

/**
 * Splits a text that grows at its end into blocks. Only the last blocks are parsed again when it grows: what a later
 * character cannot change any more stays the same object, so that it is not rendered again. A reference to an address
 * that is defined later stays text.
 */
export class MarkdownBlocks {
  private text = "";
  private fixed: readonly MarkdownBlock[] = [];
  private end = 0;
  private blocks: readonly MarkdownBlock[] = [];

  of(input: string): readonly MarkdownBlock[] {
    const text = input.replace(/\r\n?/g, "\n"); // as the parser does, so that positions agree
    if (text === this.text) return this.blocks;
    if (!text.startsWith(this.text)) {
      this.fixed = [];
      this.end = 0;
      this.text = "";
    }
    for (let to = this.text.length; to < text.length;) {
      to = Math.min(text.length, to + partLength);
      this.read(text.slice(0, to));
    }
    if (text === "") this.blocks = [];
    this.text = text;
    return this.blocks;
  }

  private read(text: string): void {
    const found = parse(text.slice(this.end), this.end);
    // The last block can still grow, and the one before it can continue behind a blank line.
    const certain = found.slice(0, -2);
    const next = found[certain.length];
    if (next && certain.length > 0) {
      this.fixed = [...this.fixed, ...certain];
      this.end = next.at;
    }
    this.blocks = [...this.fixed, ...found.slice(certain.length)];
  }
}

function parse(text: string, from: number): MarkdownBlock[] {
  const whole = [{ at: from, raw: text, token: null }];
  if (text.length > maxLength) return whole;
  let tokens: Token[];
  try {
    tokens = tokensOf(text);
  } catch {
    return whole;
  }
  let end = 0;
  const blocks: MarkdownBlock[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    // The parser drops some white space between blocks.
    const at = text.indexOf(token.raw, end);
    if (at < 0) return whole;
    blocks.push({ at: from + at, raw: token.raw, token });
    end = at + token.raw.length;
  }
  return blocks;
}

function tokensOf(text: string): Token[] {
  const lexer = new Lexer({ gfm: true, breaks: false });
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length > maxInline) tokens.push({ type: "text", raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}
