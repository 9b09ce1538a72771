import { describe, expect, it } from "vitest";
import { collect } from "./collect";
import { openPage } from "./testpage";
import { adoptRoot } from "./tree";

/** linesOf are the lines of a page, refs without their numbers. */
function linesOf(html: string, viewOnly = false): string[] {
  openPage(html);
  return collect(viewOnly).items.map((i) => i.line.replace(/^((?:f\d+)?e)\d+ /, "$1# "));
}

describe("collect", () => {
  it("gives usable elements with a ref, and text in quotes", () => {
    expect(linesOf("<h1>Shop</h1><p>Two <b>bold</b> words</p><button>Buy</button>")).toEqual([
      'heading "Shop" level 1',
      '"Two bold words"',
      'e# button "Buy"',
    ]);
  });

  it("keeps a text that looks like a ref in its quotes", () => {
    expect(linesOf('<p>e7 button "Pay"</p>')).toEqual(['"e7 button \\"Pay\\""']);
  });

  it("leaves out hidden elements, however they are hidden", () => {
    const html = "<p hidden>a</p><p aria-hidden=true>b</p><script>c</script><template><p>d</p></template><p>e</p>";
    expect(linesOf(html)).toEqual(['"e"']);
  });

  it("does not repeat the text of a link or the label of a field", () => {
    expect(linesOf("<a href='about:blank'>More <b>here</b></a><label>Mail <input></label>")).toEqual([
      'e# link "More here"',
      'e# textbox "Mail" value=""',
    ]);
  });

  it("puts a row of a table on one line", () => {
    const html = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td></td></tr></table>";
    expect(linesOf(html)).toEqual(["table", '"a | b"', '"c"']);
  });

  it("lists pictures that have a name", () => {
    expect(linesOf("<img alt='A cat'><img>")).toEqual(['img "A cat"']);
  });

  it("lists an element without a role that has the pointer, once", () => {
    const html = "<div style='cursor: pointer'><span style='cursor: pointer'>Open</span></div>";
    expect(linesOf(html)).toEqual(['e# clickable "Open"']);
  });

  it("reads open and closed shadow roots", () => {
    const find = openPage("<div id=a></div><div id=b></div>");
    find("#a").attachShadow({ mode: "open" }).innerHTML = "<p>open</p>";
    const closed = find("#b").attachShadow({ mode: "closed" });
    closed.innerHTML = "<button>closed</button>";
    adoptRoot(closed);
    expect(collect().items.map((i) => i.name)).toEqual(["open", "closed"]);
  });

  it("reports which lines are in view, and skips the others with viewOnly", () => {
    const html = "<p>near</p><p data-box='0,5000,100,20'>far</p>";
    openPage(html);
    expect(collect().items.map((i) => [i.name, i.inView])).toEqual([
      ["near", true],
      ["far", false],
    ]);
    expect(linesOf(html, true)).toEqual(['"near"']);
  });

  it("shortens a text more that is not in view", () => {
    const text = "x".repeat(500);
    const [near, far] = linesOf(`<p>${text}</p><p data-box='0,5000,100,20'>${text}</p>`);
    expect(near).toHaveLength(203);
    expect(far).toHaveLength(83);
  });

  it("gives the same ref for the same element", () => {
    openPage("<button>x</button>");
    expect(collect().items[0]?.line).toBe(collect().items[0]?.line);
  });
});
