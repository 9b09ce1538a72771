import { describe, expect, it } from "vitest";
import { roleOf } from "./roles";
import { statesOf } from "./states";
import { openPage } from "./testpage";

describe("statesOf", () => {
  it.each([
    ["<h2>x</h2>", ["level 2"]],
    ["<h2 aria-level=4>x</h2>", ["level 4"]],
    ["<button disabled>x</button>", ["disabled"]],
    ["<button aria-disabled=true aria-pressed=true>x</button>", ["disabled", "pressed"]],
    ["<div role=tab aria-selected=true aria-expanded=false></div>", ["selected", "collapsed"]],
    ["<input type=checkbox checked required>", ["checked", "required"]],
    ["<input value='a\"b' readonly>", ["readonly", 'value="a\\"b"']],
    ["<textarea aria-invalid=true>text</textarea>", ["invalid", 'value="text"']],
    ["<div role=slider aria-valuenow=5></div>", ['value="5"']],
    ["<input type=file>", ["0 files"]],
    ["<input type=submit value=Send>", []],
    ["<a href='https://example.org/x?y'>x</a>", ['-> "https://example.org/x?y"']],
    ["<a href='javascript:void 0'>x</a>", []],
  ])("of %s", (html, want) => {
    const el = openPage(html)("body > *");
    expect(statesOf(el, roleOf(el), null)).toEqual(want);
  });

  it("never gives a password", () => {
    const el = openPage("<input type=password value='hunter2'>")("input");
    expect(statesOf(el, "textbox", null)).toEqual(["filled, value hidden"]);
  });

  it("lists the first options of a list and its value", () => {
    const options = Array.from({ length: 15 }, (_, i) => `<option>o${i}</option>`);
    const el = openPage(`<select>${options.join("")}</select>`)("select");
    (el as HTMLSelectElement).selectedIndex = 2;
    const [value, list] = statesOf(el, "combobox", null);
    expect(value).toBe('value="o2"');
    expect(list).toMatch(/^options: "o0" \| "o1" \|.* \| "o11" \| … 3 more$/);
  });

  it("reports the focus", () => {
    const el = openPage("<button>x</button>")("button");
    expect(statesOf(el, "button", el)).toEqual(["focused"]);
  });
});
