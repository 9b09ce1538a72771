import { describe, expect, it } from "vitest";
import { keysForDate, keysForOption, keysForSlider } from "./fieldkeys";
import { findField, findFileInput, findOptions, isSuggesting } from "./fields";
import { openPage } from "./testpage";

describe("findField", () => {
  it.each([
    ["<input id=x>", "text"],
    ["<textarea id=x></textarea>", "text"],
    ["<select id=x></select>", "choose"],
    ["<input id=x type=date>", "set"],
    ["<label id=x>Mail <input></label>", "text"],
    ["<div id=x><input></div>", "text"],
  ])("in %s takes %s", (html, kind) => {
    openPage(html);
    expect(findField("css=#x").kind).toBe(kind);
  });

  it.each([
    ["<button id=x>Go</button>", /button "Go" is not a text field/],
    ["<input id=x type=checkbox>", /is not a text field: click it/],
    ["<input id=x type=file>", /browser_upload/],
    ["<input id=x disabled>", /is disabled/],
    ["<input id=x readonly>", /is read-only/],
    ["<div id=x><input><input></div>", /is not a text field/],
  ])("refuses %s", (html, want) => {
    openPage(html);
    expect(() => findField("css=#x")).toThrow(want);
  });
});

describe("findOptions", () => {
  const list =
    "<select><option value=de>Germany</option><option value=ger>German</option><option disabled>Old</option></select>";

  it.each([
    ["german", "German"],
    ["DE", "Germany"],
    ["many", "Germany"],
  ])("finds %s", (name, want) => {
    const select = openPage(list)<HTMLSelectElement>("select");
    expect(findOptions(select, "it", [name]).map((o) => o.label)).toEqual([want]);
  });

  it("lists the options in the error", () => {
    const select = openPage(list)<HTMLSelectElement>("select");
    expect(() => findOptions(select, "it", ["France"])).toThrow(
      'it has no option "France"; it has "Germany", "German", "Old"',
    );
    expect(() => findOptions(select, "it", ["Old"])).toThrow("it has no option");
    expect(() => findOptions(select, "it", ["German", "Germany"])).toThrow("takes one option");
  });
});

it("findFileInput refuses several files where one is taken", () => {
  openPage("<label id=x>File <input type=file></label>");
  expect(findFileInput("css=#x", 1).words).toContain("file input");
  expect(() => findFileInput("css=#x", 2)).toThrow("takes one file");
});

it("isSuggesting knows fields that suggest entries while the user types", () => {
  const find = openPage(
    "<input id=a><input id=b type=search><input id=c autocomplete=off><input id=d aria-haspopup=listbox>",
  );
  expect(["#a", "#b", "#c", "#d"].map((s) => isSuggesting(find(s)))).toEqual([false, true, true, true]);
});

describe("keys", () => {
  it("lead to an option past those that are disabled", () => {
    const select = openPage(
      "<select><option>a</option><option disabled>b</option><option>c</option></select>",
    )<HTMLSelectElement>("select");
    const [a, b, c] = select.options;
    if (!a || !b || !c) throw new Error("three options");
    expect(keysForOption(select, c)).toEqual(["Space", "ArrowDown", "Enter"]);
    expect(keysForOption(select, a)).toEqual([]);
    expect(keysForOption(select, b)).toEqual([]);
  });

  it("move a slider by its steps, if they are few", () => {
    const slider = openPage("<input type=range min=0 max=1000 step=5 value=20>")<HTMLInputElement>("input");
    expect(keysForSlider(slider, 10)).toEqual(["ArrowLeft", "ArrowLeft"]);
    expect(keysForSlider(slider, 30)).toEqual(["ArrowRight", "ArrowRight"]);
    slider.step = "any";
    expect(keysForSlider(slider, 30)).toEqual([]);
    slider.step = "0.1";
    expect(keysForSlider(slider, 900)).toEqual([]);
  });

  it.each([
    ["date", "2025-03-14", "en-US", "03142025"],
    ["date", "2025-03-14", "de-DE", "14032025"],
    ["time", "13:45", "de-DE", "1345"],
    ["time", "13:45", "en-US", "0145p"],
    ["time", "00:05", "en-US", "1205a"],
    ["datetime-local", "2025-03-14T09:05", "en-US", "03142025[ArrowRight]0905a"],
    ["month", "2025-03", "en-US", ""],
    ["date", "14.3.2025", "de-DE", ""],
  ])("write a %s %s in %s", (type, value, language, want) => {
    const keys = keysForDate(type, value, language).map((k) => (k.length > 1 ? `[${k}]` : k));
    expect(keys.join("")).toBe(want);
  });
});
