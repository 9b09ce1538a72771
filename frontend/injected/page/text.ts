// Text of a page is hostile. All text that leaves this script is quoted, on one line, and without characters that turn
// or hide text.

// Expressions with \p are slow to compile, and most texts need none of them.
const NEEDS_CLEANING = /[^ -~]| {2}|^ | $/;
const NON_ASCII = /[^\0-\x7f]/;
const NEEDS_ESCAPES = /["\\\ud800-\udfff]/;

/**
 * sanitizeText makes one line of a text and truncates it to limit characters. It takes any
 * value: a page may replace the properties of its document and forms with elements.
 * A truncated text always ends in an ellipsis, because secrets are searched for there.
 */
export function sanitizeText(value: unknown, limit: number): string {
  let text = String(value);
  const cut = text.length > limit * 4;
  if (cut) text = text.slice(0, limit * 4);
  if (NEEDS_CLEANING.test(text)) {
    text = NON_ASCII.test(text)
      ? text
          .toWellFormed()
          .replace(/\p{Cf}/gu, "")
          .replace(/[\s\p{Cc}]+/gu, " ")
      : text.replace(/[\0- \x7f]+/g, " ");
    text = text.trim();
  }
  return cut && text.length <= limit ? text + "…" : truncate(text, limit);
}

export function truncate(text: string, limit: number): string {
  return text.length > limit ? text.slice(0, limit).toWellFormed() + "…" : text;
}

/** quoteSanitized quotes a text that sanitizeText returned. */
export function quoteSanitized(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : '"' + text + '"';
}

export function quoteText(value: unknown, limit = 160): string {
  return quoteSanitized(sanitizeText(value, limit));
}

/** normalizeQuery gives the form in which a text that the agent searches for is compared. */
export function normalizeQuery(text: string): string {
  return sanitizeText(text, 300).toLowerCase();
}
