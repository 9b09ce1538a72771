import { describe, expect, it } from "vitest";
import { hasCardField, listSentFields, previewClick } from "./preview";
import { openPage } from "./testpage";

describe("previewClick", () => {
  it("gives the address of a link, which has no other effect", () => {
    openPage("<a id=x href='https://example.org/a'>x</a>");
    expect(previewClick("css=#x", false)).toMatchObject({ link: "https://example.org/a", acts: false, method: "" });
  });

  it.each(["<a id=x href='https://example.org/' onclick='f()'>x</a>", "<a id=x href='javascript:f()'>x</a>"])(
    "expects an effect of %s",
    (html) => {
      openPage(html);
      expect(previewClick("css=#x", false).acts).toBe(true);
    },
  );

  it("gives the form that a button sends", () => {
    openPage("<form method=post action='https://example.org/f'><input name=a value=1><button id=x>Go</button></form>");
    expect(previewClick("css=#x", false)).toMatchObject({
      method: "POST",
      action: "https://example.org/f",
      fields: [{ name: "a", value: "1", hidden: false }],
      acts: true,
      element: 'button "Go"',
    });
  });

  it("takes the method and address of the button before those of the form", () => {
    openPage(
      `<form action='https://example.org/f'>
        <button id=x formmethod=post formaction='https://example.org/g'>Go</button>
      </form>`,
    );
    expect(previewClick("css=#x", false)).toMatchObject({ method: "POST", action: "https://example.org/g" });
  });

  it("treats Enter in a field as a click on the first button that sends", () => {
    openPage(
      `<form action='https://example.org/f'>
        <input id=x><button type=button>No</button><button formaction='https://example.org/g'>Go</button>
      </form>`,
    );
    expect(previewClick("css=#x", true)).toMatchObject({ action: "https://example.org/g", acts: true });
    expect(previewClick("css=#x", false)).toMatchObject({ action: "", acts: false });
  });

  it("sends nothing with a plain button", () => {
    openPage("<form method=post><button id=x type=button>Go</button></form>");
    expect(previewClick("css=#x", false)).toMatchObject({ method: "", acts: true });
  });

  it("reports payment on a page that asks for a card", () => {
    openPage("<input autocomplete=cc-number><button id=x>Pay</button>");
    expect(previewClick("css=#x", false).payment).toBe(true);
    expect(hasCardField()).toBe(true);
    openPage("<button id=x>Pay</button>");
    expect(previewClick("css=#x", false).payment).toBe(false);
  });
});

describe("listSentFields", () => {
  it("hides secrets, skips fields that are not sent, and puts hidden fields last", () => {
    const form = openPage(`<form>
      <input type=hidden name=token value=t>
      <input name=user value=u>
      <input name=pass type=password value=secret>
      <input name=card autocomplete=cc-number value=4111>
      <input name=off type=checkbox>
      <input name=on type=checkbox value=yes checked>
      <input name=gone value=x disabled>
      <input value=nameless>
      <button name=b value=1>Go</button>
    </form>`)<HTMLFormElement>("form");
    const { fields, left } = listSentFields(form);
    expect(fields.map((f) => `${f.name}=${f.value}${f.hidden ? " hidden" : ""}`)).toEqual([
      "user=u",
      "pass=••••",
      "card=••••",
      "on=yes",
      "token=t hidden",
    ]);
    expect(left).toBe(0);
  });
});
