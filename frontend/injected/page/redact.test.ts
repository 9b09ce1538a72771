import { describe, expect, it } from "vitest";
import { gatherTexts, listPassingTexts, observePassing, pieceAt, stopPassing, unquoteContent } from "./redact";
import type { Box } from "./redactboxes";
import { joinBoxes, mergeBoxes } from "./redactboxes";
import { openPage } from "./testpage";

describe("gatherTexts", () => {
  it("gives texts in pieces, in the order of the document, also those in fields and shadow roots", () => {
    const find = openPage(
      "<p>a<b>b</b></p><input value=c><input placeholder=d><input type=password value=e><script>f</script><i id=h></i>",
    );
    find("#h").attachShadow({ mode: "open" }).innerHTML = "<p>g</p>";
    expect(gatherTexts().message.texts.filter((t) => t.trim())).toEqual(["a", "b", "c", "d", "g"]);
  });

  it("numbers text nodes above and elements below zero, the same each time", () => {
    openPage("<p>a</p><input value=b>");
    const first = gatherTexts().message;
    const [text = 0, field = 0] = first.ids.slice(-2);
    expect([text > 0, field < 0]).toEqual([true, true]);
    expect(gatherTexts().message.ids).toEqual(first.ids);
  });
});

const textIn = (el: Element) => el.firstChild as Text;

describe("listPassingTexts", () => {
  it("lists texts that appeared, disappeared or changed, except redacted ones", () => {
    const find = openPage("<p id=a>old</p><p id=b>secret</p><input id=c placeholder=before>");
    const { roots } = gatherTexts();
    observePassing(roots);
    textIn(find("#a")).data = "new";
    const passing = document.createElement("p");
    passing.textContent = "flash";
    document.body.append(passing);
    passing.remove();
    find("#c").setAttribute("placeholder", "after");
    textIn(find("#b")).data = "changed secret";
    const { passed, lost } = listPassingTexts(new Set([textIn(find("#b"))]));
    stopPassing();
    expect(passed).toEqual(["old", "new", "flash", "before", "after"]);
    expect(lost).toBe(false);
  });
});

it("pieceAt gives a piece of the last call", () => {
  openPage("<p>only</p>");
  const at = gatherTexts().message.texts.indexOf("only");
  expect(pieceAt(at)?.text).toBe("only");
  expect(pieceAt(999)).toBeUndefined();
});

it.each([
  ['"a"', "a"],
  ['"say \\"hi\\""', 'say "hi"'],
  ['"a" "b"', "ab"],
])("unquoteContent of %s", (content, want) => {
  expect(unquoteContent(content)).toBe(want);
});

describe("boxes", () => {
  const a: Box = [0, 0, 10, 10];
  const b: Box = [5, 20, 15, 30];

  it("join", () => {
    expect(joinBoxes(a, b)).toEqual([0, 0, 15, 30]);
  });

  it("grow with each sample, line by line", () => {
    expect(mergeBoxes([a, b], [[1, 1, 12, 9], b])).toEqual([[0, 0, 12, 10], b]);
  });

  it("become one box if the number of lines changes", () => {
    expect(mergeBoxes([a, b], [a])).toEqual([[0, 0, 15, 30]]);
  });

  it("stay where a text disappeared, and begin where it appears", () => {
    expect(mergeBoxes([a], [])).toEqual([a]);
    expect(mergeBoxes([], [b])).toEqual([b]);
  });
});
