import { describe, expect, it } from "vitest";
import { compareLines, endDiff, startDiff, truncateList } from "./changes";
import type { Item } from "./collect";
import { splitLines } from "./report";
import { openPage } from "./testpage";

const item = (line: string, inView = true) => ({ line, inView, up: null, place: "" }) as unknown as Item;

const items = (...lines: string[]) => lines.map((line) => item(line));

describe("compareLines", () => {
  it("counts lines that occur several times", () => {
    const { added, common, removed } = compareLines(items("a", "a", "b"), items("a", "c", "a", "a"));
    expect([added.map((i) => i.line), common.length, removed]).toEqual([["c", "a"], 2, 1]);
  });

  it("finds no new line in another order", () => {
    const { added, removed } = compareLines(items("a", "b"), items("b", "a"));
    expect([added, removed]).toEqual([[], 0]);
  });
});

describe("endDiff", () => {
  it("gives the added lines and counts the removed ones", () => {
    const find = openPage("<p id=a>one</p><p>two</p>");
    startDiff();
    find("#a").textContent = "three";
    expect(endDiff()).toEqual({ fresh: false, added: ['"three"'], more: 0, removed: 1, notes: [] });
  });

  it("reports a new order without new lines", () => {
    const find = openPage("<ul id=l><li>one</li><li>two</li></ul>");
    startDiff();
    find("#l").append(find("li"));
    expect(endDiff()).toMatchObject({ added: [], removed: 0, notes: ['order now: "two" | "one"'] });
  });

  it("reports an element that moved alone", () => {
    const find = openPage("<button id=a data-box='0,0,10,10'>A</button><p data-box='0,50,10,10'>B</p>");
    startDiff();
    find("#a").dataset.box = "40,0,10,10";
    const { notes } = endDiff();
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/^moved: e\d+ button "A" is at 45,5$/);
  });

  it("gives a line as a snapshot shows it, not its parts", () => {
    const find = openPage("<p data-box='0,9000,10,10'><b id=n>2</b> items left</p>");
    startDiff();
    find("#n").textContent = "3";
    expect(endDiff().added).toEqual(['"3 items left"']);
  });

  it("gives lines that were added out of view, too", () => {
    openPage("<p>one</p>");
    startDiff();
    document.body.insertAdjacentHTML("beforeend", "<p data-box='0,9000,10,10'>below</p>");
    expect(endDiff().added).toEqual(['"below"']);
  });

  it("gives the lines in view if nothing was observed", () => {
    openPage(Array.from({ length: 64 }, (_, i) => `<p>line ${i}</p>`).join(""));
    const { fresh, added, more } = endDiff();
    expect([fresh, added.length, more]).toEqual([true, 60, 4]);
  });
});

it("splitLines separates the lines in view and stops at the limit", () => {
  const items = [item("aaaa"), item("bbbb", false), item("cccc")];
  expect(splitLines(items)).toEqual({ here: ["aaaa", "cccc"], there: ["bbbb"], cut: false });
  expect(splitLines(items, 9)).toEqual({ here: ["aaaa"], there: ["bbbb"], cut: true });
});

it("leaves out long texts before elements and numbers", () => {
  const texts = Array.from({ length: 70 }, (_, i) => `"${"word ".repeat(i % 3)}"`);
  const { added, more } = truncateList([...texts, '"$ 312"', 'e9 button "Book"']);
  expect([added.length, more, ...added.slice(-2)]).toEqual([60, 12, '"$ 312"', 'e9 button "Book"']);
});
