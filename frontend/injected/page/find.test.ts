import { describe, expect, it } from "vitest";
import { TargetError } from "./errors";
import { findElement } from "./find";
import { refOf } from "./refs";
import { openPage } from "./testpage";

function errorOf(target: string): string {
  try {
    findElement(target);
  } catch (e) {
    if (e instanceof TargetError) return `${e.code}: ${e.message}`;
    throw e;
  }
  return "found";
}

describe("findElement", () => {
  it("finds a ref as long as its element is in the page", () => {
    const button = openPage("<button>x</button>")("button");
    const ref = refOf(button);
    expect(findElement(ref)).toBe(button);
    button.remove();
    expect(errorOf(ref)).toBe(`stale: ${ref}`);
  });

  it("prefers an equal name to a part of one, and a usable element to text", () => {
    const find = openPage("<p>Save</p><button id=a>Save as</button><button id=b>save</button>");
    expect(findElement("Save")).toBe(find("#b"));
    expect(findElement("save a")).toBe(find("#a"));
  });

  it("lists the candidates if there are several", () => {
    openPage("<button>Go</button><button>Go</button>");
    expect(errorOf("Go")).toMatch(/^many: 2 elements match "Go": e\d+ button "Go", e\d+ button "Go"; use one/);
  });

  it("prefers visible matches of a selector", () => {
    const find = openPage("<i class=x hidden>a</i><i class=x id=b>b</i>");
    expect(findElement("css=.x")).toBe(find("#b"));
  });

  it.each([
    ["css=p:[", /^bad: "css=p:\[" is not a CSS selector/],
    ["css=.none", /^none: nothing matches/],
    ["nobody says this", /^none: no visible element says/],
    ["  ", /^bad: the target is empty/],
    ["e99999", /^stale: e99999/],
  ])("explains %j", (target, want) => {
    openPage("<p>text</p>");
    expect(errorOf(target)).toMatch(want);
  });
});
