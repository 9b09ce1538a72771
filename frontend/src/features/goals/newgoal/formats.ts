/** How a value is written as one line of text. */
export interface TextFormat<T> {
  /** Returns null for text that is not valid. Empty text is valid. */
  parse(text: string): T | null;
  format(value: T): string;
}

/** Parses a number from 0 on. Empty text is 0; text that is not a number is null. */
export function parseNumber(text: string): number | null {
  const clean = text
    .trim()
    .replace(/^\$/, "")
    .replace(/[ _,](?=\d{3}\b)/g, "");
  if (clean === "") return 0;
  const n = Number(clean);
  return Number.isFinite(n) && n >= 0 ? n : null;
}

function numbers(unit: number, round: (n: number) => number): TextFormat<number> {
  return {
    parse: (text) => {
      const n = parseNumber(text);
      return n === null ? null : round(n * unit);
    },
    format: (n) => (n > 0 ? String(n / unit) : ""),
  };
}

export const plainText: TextFormat<string> = { parse: (text) => text, format: (text) => text };

/** A whole number; empty text is 0. */
export const count = numbers(1, Math.round);

export const dollars = numbers(1, (n) => n);

/** Minutes, as milliseconds. */
export const minutes = numbers(60_000, Math.round);

/** Names and patterns, which contain no spaces. */
export const words = {
  parse: (text: string) => text.split(/[\s,]+/).filter(Boolean),
  format: (list: string[]) => list.join(" "),
} satisfies TextFormat<string[]>;

/** Paths, which may contain spaces. */
export const paths: TextFormat<string[]> = {
  parse: (text) =>
    text
      .split(",")
      .map((p) => p.trim())
      .filter(Boolean),
  format: (list) => list.join(", "),
};

export const ports: TextFormat<number[]> = {
  parse: (text) => {
    const list = words.parse(text);
    return list.every((p) => /^\d{1,5}$/.test(p)) ? list.map(Number) : null;
  },
  format: (list) => list.join(" "),
};
