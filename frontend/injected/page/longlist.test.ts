import { describe, expect, it } from "vitest";
import { findVisibleRange } from "./longlist";
import { openPage } from "./testpage";

const HERE = { x: 0, y: 0 };

function listOf(n: number, boxOf: (i: number) => string): HTMLCollection {
  const items = Array.from({ length: n }, (_, i) => `<li id=i${i} data-box="${boxOf(i)}">${i}</li>`);
  return openPage(`<ul>${items.join("")}</ul>`)("ul").children;
}

describe("findVisibleRange", () => {
  it("finds the first and the last child in view", () => {
    const range = findVisibleRange(
      listOf(100, (i) => `0,${i * 20 - 500},100,20`),
      HERE,
      300,
    );
    expect([range?.from?.id, range?.to?.id]).toEqual(["i25", "i40"]);
  });

  it("finds the end of the list", () => {
    const range = findVisibleRange(
      listOf(100, (i) => `0,${i},100,1`),
      HERE,
      300,
    );
    expect([range?.from?.id, range?.to]).toEqual(["i0", null]);
  });

  it("gives up where children are beside each other, or have no height", () => {
    expect(
      findVisibleRange(
        listOf(100, (i) => `${i * 10},0,10,20`),
        HERE,
        300,
      ),
    ).toBeNull();
    expect(
      findVisibleRange(
        listOf(100, () => "0,0,0,0"),
        HERE,
        300,
      ),
    ).toBeNull();
  });
});
