import { describe, expect, it } from "vitest";
import { normalizeQuery, quoteText, sanitizeText, truncate } from "./text";

describe("sanitizeText", () => {
  it.each([
    ["plain", "plain"],
    ["  two\n\tlines  ", "two lines"],
    ["a\u0000b\u007fc", "a b c"],
    ["left\u202eright\u200b", "leftright"],
    ["a\u00a0\u2028b", "a b"],
    ["\ud800x", "\ufffdx"],
    ["ü  ö", "ü ö"],
    ["", ""],
  ])("makes one harmless line of %j", (text, want) => {
    expect(sanitizeText(text, 100)).toBe(want);
  });

  it("marks a text that is longer than the limit", () => {
    expect(sanitizeText("abcdef", 4)).toBe("abcd…");
    expect(sanitizeText("abcd", 4)).toBe("abcd");
  });

  it("marks a text that became short only because most of it was white space", () => {
    expect(sanitizeText("ab" + " ".repeat(50) + "c", 4)).toBe("ab…");
  });

  it("takes a property that a page replaced by an element", () => {
    expect(sanitizeText({ toString: () => "a\nb" }, 100)).toBe("a b");
  });
});

describe("truncate", () => {
  it("leaves no half of a character", () => {
    expect(truncate("ab😀", 3)).toBe("ab\ufffd…");
  });
});

describe("quoteText", () => {
  it.each([
    ['say "hi"', '"say \\"hi\\""'],
    ["back\\slash", '"back\\\\slash"'],
    ["e1 button", '"e1 button"'],
    ["a\nb", '"a b"'],
  ])("quotes %j", (text, want) => {
    expect(quoteText(text)).toBe(want);
  });
});

it("normalizeQuery ignores case and white space", () => {
  expect(normalizeQuery("  Log\n IN ")).toBe("log in");
});
