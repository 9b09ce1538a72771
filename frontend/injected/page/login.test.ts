import { describe, expect, it } from "vitest";
import { findLoginForm } from "./login";
import { elementOf } from "./refs";
import { searchPage } from "./query";
import { openPage } from "./testpage";

const origin = () => document.defaultView?.origin ?? "";

function fieldsOf(html: string): [string | undefined, string | undefined] {
  openPage(html);
  const { user, password } = findLoginForm(origin());
  return [elementOf(user)?.id, elementOf(password)?.id];
}

describe("findLoginForm", () => {
  it("takes the field before the password, preferably one for a user name", () => {
    expect(fieldsOf("<form><input id=a name=city><input id=p type=password><input id=z></form>")).toEqual(["a", "p"]);
    expect(fieldsOf("<form><input id=u name=username><input id=b><input id=p type=password></form>")).toEqual([
      "u",
      "p",
    ]);
  });

  it("takes the first step of a login in two steps", () => {
    expect(fieldsOf("<input id=m type=email><input id=q name=q>")).toEqual(["m", undefined]);
  });

  it("takes no field of another form", () => {
    expect(fieldsOf("<form><input id=u name=user></form><form><input id=p type=password></form>")).toEqual([
      undefined,
      "p",
    ]);
  });

  it.each([
    ["<input type=password><input type=password>", "2 fields ask for a password"],
    ["<input name=q>", "has no login form"],
    ["<input type=password hidden>", "has no login form"],
  ])("refuses %s", (html, want) => {
    openPage(html);
    expect(() => findLoginForm(origin())).toThrow(want);
  });

  it("refuses another origin", () => {
    openPage("<input type=password>");
    expect(() => findLoginForm("https://elsewhere.example")).toThrow("and not https://elsewhere.example");
  });
});

describe("searchPage", () => {
  it("finds by text, role and selector", () => {
    openPage("<ul><li>One</li><li class=x>Two</li></ul><button>One more</button>");
    expect(searchPage("one", "", "", []).count).toBe(2);
    expect(searchPage("one", "listitem", "", []).count).toBe(1);
    expect(searchPage("", "", ".x", []).lines[0]).toMatch(/^e\d+ listitem "Two" at 50,10 100x20$/);
  });

  it("lists options with their list", () => {
    openPage("<select><option>red</option><option selected disabled>green</option></select>");
    const { lines } = searchPage("", "option", "", []);
    expect(lines[0]).toMatch(/^e\d+ has option "red"$/);
    expect(lines[1]).toMatch(/^e\d+ has option "green" selected disabled$/);
  });

  it("gives attributes, but no password", () => {
    openPage("<input class=x type=password value=hunter2 name=p>");
    expect(searchPage("", "", ".x", ["name", "value"]).lines[0]).toContain('name="p" value="••••"');
  });
});
