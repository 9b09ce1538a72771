import { describe, expect, it } from "vitest";
import { CELL, INLINE, isClickable, roleOf, SKIPPED, tagKind } from "./roles";
import { openPage } from "./testpage";

describe("roleOf", () => {
  it.each([
    ["<button>x</button>", "button"],
    ["<a href='/x'>x</a>", "link"],
    ["<a>x</a>", ""],
    ["<input>", "textbox"],
    ["<input type=search>", "searchbox"],
    ["<input type=hidden>", ""],
    ["<input type=file>", "file input"],
    ["<input type=date>", "date input"],
    ["<select></select>", "combobox"],
    ["<select multiple></select>", "listbox"],
    ["<select size=3></select>", "listbox"],
    ["<h3>x</h3>", "heading"],
    ["<nav></nav>", "navigation"],
    ["<div></div>", ""],
    ["<div role='tab button'></div>", "tab"],
    ["<div role=' Menuitem '></div>", "menuitem"],
    ["<button role=presentation>x</button>", "button"],
    ["<div role='e12 \"'></div>", ""],
  ])("of %s is %j", (html, want) => {
    const find = openPage(html);
    expect(roleOf(find("body > *"))).toBe(want);
  });
});

describe("isClickable", () => {
  it.each([
    ["<div onclick='x()'></div>", true],
    ["<div tabindex=0></div>", true],
    ["<div tabindex=-1></div>", false],
    ["<div style='cursor: pointer'></div>", true],
    ["<div></div>", false],
  ])("%s: %s", (html, want) => {
    const find = openPage(html);
    expect(isClickable(find("div"))).toBe(want);
  });

  it("is the outermost of the elements with the pointer", () => {
    const find = openPage("<div style='cursor: pointer'><b style='cursor: pointer'>x</b></div>");
    expect(isClickable(find("b"))).toBe(false);
  });
});

it("tagKind combines the kinds of a tag", () => {
  expect([tagKind("SCRIPT"), tagKind("SPAN"), tagKind("TD"), tagKind("DIV")]).toEqual([SKIPPED, INLINE, CELL, 0]);
});
