import { describe, expect, it } from "vitest";
import { compareLines, countLines, endDiff, startDiff } from "./changes";
import type { Item } from "./collect";
import { splitLines } from "./report";
import { openPage } from "./testpage";

const item = (line: string, inView = true) => ({ line, inView }) as Item;

describe("compareLines", () => {
  it("counts lines that occur several times", () => {
    const was = countLines(["a", "a", "b"].map((line) => item(line)));
    const now = ["a", "c", "a", "a"].map((line) => item(line));
    expect(compareLines(was, now)).toEqual({ added: ["c", "a"], removed: 1 });
  });

  it("finds no difference in another order", () => {
    const was = countLines([item("a"), item("b")]);
    expect(compareLines(was, [item("b"), item("a")])).toEqual({ added: [], removed: 0 });
  });
});

describe("endDiff", () => {
  it("gives what came and counts what went", () => {
    const find = openPage("<p id=a>one</p><p>two</p>");
    startDiff();
    find("#a").textContent = "three";
    expect(endDiff()).toEqual({ fresh: false, added: ['"three"'], more: 0, removed: 1 });
  });

  it("gives what came out of view, too", () => {
    openPage("<p>one</p>");
    startDiff();
    document.body.insertAdjacentHTML("beforeend", "<p data-box='0,9000,10,10'>below</p>");
    expect(endDiff().added).toEqual(['"below"']);
  });

  it("gives the lines in view if nothing was observed", () => {
    openPage(Array.from({ length: 14 }, (_, i) => `<p>line ${i}</p>`).join(""));
    const { fresh, added, more } = endDiff();
    expect([fresh, added.length, more]).toEqual([true, 12, 2]);
  });
});

it("splitLines separates what is in view and stops at the limit", () => {
  const items = [item("aaaa"), item("bbbb", false), item("cccc")];
  expect(splitLines(items)).toEqual({ here: ["aaaa", "cccc"], there: ["bbbb"], cut: false });
  expect(splitLines(items, 9)).toEqual({ here: ["aaaa"], there: ["bbbb"], cut: true });
});
