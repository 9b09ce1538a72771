import { beforeEach, describe, expect, it, vi } from "vitest";
import { openPage } from "../page/testpage";
import { iconAddress } from "./icon";
import { fillLogin, userFieldOf } from "./login";
import { describeMenu, selectedText } from "./menu";
import { chooseOption, isDropDown, isPicker, listChoices, listSuggestions, opensWith, setValue } from "./pickers";
import { registerElement, registeredElement, truncate } from "./report";
import { reportTitle } from "./title";
import { zoomPage } from "./zoom";

const messages: string[] = [];
vi.stubGlobal("goalpostTell", (message: string) => messages.push(message));

beforeEach(() => {
  messages.length = 0;
});

describe("registerElement", () => {
  it("remembers the last 50 elements that are in the page", () => {
    openPage("<i></i>".repeat(60));
    const numbers = [...document.querySelectorAll("i")].map(registerElement);
    const [first = 0] = numbers;
    const last = numbers.at(-1) ?? 0;
    expect(registeredElement(first)).toBeNull();
    expect(registeredElement(last)).not.toBeNull();
    registeredElement(last)?.remove();
    expect(registeredElement(last)).toBeNull();
  });
});

describe("iconAddress", () => {
  it.each([
    ["<link rel=icon href=a.png><link rel='shortcut icon' href=/b.ico>", "/b.ico"],
    ["<link rel=icon href='data:image/png;base64,AA=='>", "data:image/png;base64,AA=="],
    ["<link rel=icon href='javascript:alert(1)'>", "/favicon.ico"],
  ])("of %s is %s", (html, address) => {
    openPage(html);
    expect(iconAddress().endsWith(address)).toBe(true);
  });
});

describe("pickers", () => {
  it.each([
    ["<select><option>a</option></select>", true, false],
    ["<select multiple></select>", false, false],
    ["<select disabled></select>", false, false],
    ["<input type=date>", false, true],
    ["<input type=color readonly>", false, false],
    ["<input>", false, false],
  ])("%s opens a list: %s, a picker: %s", (html, list, picker) => {
    const el = openPage(html)("body > *");
    expect([isDropDown(el), isPicker(el)]).toEqual([list, picker]);
  });

  it("list options with their groups", () => {
    const select = openPage(
      "<select><option selected>a</option><optgroup label=G disabled><option>b</option></optgroup></select>",
    )<HTMLSelectElement>("select");
    expect(listChoices(select)).toEqual([
      { label: "a", group: "", disabled: false, selected: true },
      { label: "b", group: "G", disabled: true, selected: false },
    ]);
  });

  it("suggest options that contain the typed text", () => {
    const input = openPage(
      "<input list=l value=an><datalist id=l><option value=Banana><option value=Pear><option value=an></datalist>",
    )<HTMLInputElement>("input");
    Object.defineProperty(input, "list", { value: { options: document.querySelectorAll("option") } });
    expect(listSuggestions(input).map((o) => o.label)).toEqual(["Banana"]);
  });

  it.each([
    [{ key: " " }, true],
    [{ key: "F4" }, true],
    [{ key: "ArrowDown", altKey: true }, true],
    [{ key: "ArrowDown" }, false],
    [{ key: "a" }, false],
  ])("open with the key %j: %s", (init, want) => {
    expect(opensWith(new KeyboardEvent("keydown", init))).toBe(want);
  });

  it("choose an option and notify the page, once", () => {
    const select = openPage(
      "<select><option>a</option><option>b</option><option disabled>c</option></select>",
    )<HTMLSelectElement>("select");
    const onChange = vi.fn();
    select.addEventListener("change", onChange);
    const n = registerElement(select);
    expect([
      chooseOption(n, 1),
      chooseOption(n, 1),
      chooseOption(n, 2),
      chooseOption(n, 9),
      chooseOption(-1, 0),
    ]).toEqual([true, true, false, false, false]);
    expect(select.value).toBe("b");
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  it("set a value and report whether the field took it", () => {
    const input = openPage("<input>")<HTMLInputElement>("input");
    const n = registerElement(input);
    expect(setValue(n, "x")).toBe(true);
    expect(input.value).toBe("x");
    input.addEventListener("input", () => (input.value = "other"));
    expect(setValue(n, "y")).toBe(false);
  });
});

describe("logins", () => {
  it.each([
    ["<form><input id=u><input type=password></form>", "u"],
    ["<form><input id=a><input id=b type=email><input type=password></form>", "b"],
    ["<form><input id=a><input type=password><input id=n autocomplete=username></form>", "n"],
    ["<form><input type=checkbox><input type=password></form>", undefined],
  ])("know the user name in %s", (html, want) => {
    const password = openPage(html)<HTMLInputElement>("[type=password]");
    expect(userFieldOf(password)?.id).toBe(want);
  });

  it("are filled in for their origin alone", () => {
    const find = openPage("<form><input id=u><input id=p type=password></form>");
    expect(fillLogin("https://elsewhere.example", "me", "secret")).toEqual([]);
    expect(fillLogin(location.origin, "me", "secret")).toEqual(["user", "password"]);
    expect(find<HTMLInputElement>("#p").value).toBe("secret");
  });

  it("are not filled into fields that cannot be changed", () => {
    openPage("<form><input readonly><input type=password disabled></form>");
    expect(fillLogin(location.origin, "me", "secret")).toEqual([]);
  });
});

describe("menu", () => {
  it("describes links, images and fields", () => {
    const find = openPage(
      "<a href='https://example.org/'><img src='https://example.org/i.png'></a><input><input readonly id=r>",
    );
    expect(describeMenu([find("img"), find("a")])).toMatchObject({
      link: "https://example.org/",
      image: "https://example.org/i.png",
      editable: false,
    });
    expect(describeMenu([find("input")]).editable).toBe(true);
    expect(describeMenu([find("#r")]).editable).toBe(false);
  });

  it("gives the selection of a field, but not of a password", () => {
    const find = openPage("<input id=a value=abcdef><input id=p type=password value=secret>");
    find<HTMLInputElement>("#a").focus();
    find<HTMLInputElement>("#a").setSelectionRange(1, 3);
    expect(selectedText()).toBe("bc");
    find<HTMLInputElement>("#p").focus();
    find<HTMLInputElement>("#p").setSelectionRange(0, 6);
    expect(selectedText()).toBe("");
  });
});

it("truncate accepts a missing text, and leaves no half of a character", () => {
  expect([truncate(undefined, 5), truncate("abc", 2), truncate("a😀", 2)]).toEqual(["", "ab", "a\ufffd"]);
});

it("reportTitle reports each title once", () => {
  vi.useFakeTimers();
  document.title = "One";
  reportTitle();
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
  expect(messages).toEqual([JSON.stringify({ t: "title", text: "One" })]);
});

it("zoomPage sets the zoom and removes it", () => {
  zoomPage(1.5);
  expect(document.documentElement.style.zoom).toBe("1.5");
  zoomPage(1);
  expect(document.documentElement.style.zoom).toBe("");
});
