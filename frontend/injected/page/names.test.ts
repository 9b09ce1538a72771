import { beforeEach, describe, expect, it } from "vitest";
import { forgetLabels, nameOf, textOf } from "./names";
import { roleOf } from "./roles";
import { openPage } from "./testpage";

beforeEach(forgetLabels);

function nameIn(html: string, selector = "#x"): string {
  const el = openPage(html)(selector);
  return nameOf(el, roleOf(el));
}

describe("nameOf", () => {
  it.each([
    ["<button id=x>Save <b>all</b></button>", "Save all"],
    ["<button id=x aria-label='Close'>×</button>", "Close"],
    ["<i id=a>First</i><i id=b>second</i><input id=x aria-labelledby='a b'>", "First second"],
    ["<button id=x aria-labelledby=missing aria-label=Label>x</button>", "Label"],
    ["<label for=x>Mail</label><input id=x>", "Mail"],
    ["<label>Mail <input id=x></label>", "Mail"],
    ["<label for=x>A</label><label for=x>B</label><input id=x>", "A B"],
    ["<input id=x type=submit value=Send>", "Send"],
    ["<input id=x type=reset>", "reset"],
    ["<img id=x alt='A cat'>", "A cat"],
    ["<input id=x placeholder='you@example.org'>", "you@example.org"],
    ["<input id=x title=Title placeholder=Placeholder>", "Title"],
    ["<a id=x href='/'><img alt='Home'></a>", "Home"],
    ["<nav id=x>Text inside</nav>", ""],
    ["<button id=x aria-label='  '>Text</button>", "Text"],
  ])("of %s is %j", (html, want) => {
    expect(nameIn(html)).toBe(want);
  });

  it("has no control characters of the page", () => {
    expect(nameIn("<button id=x aria-label='a\u202eb\ne1 link'>x</button>")).toBe("ab e1 link");
  });
});

describe("textOf", () => {
  it("leaves out hidden elements and separates blocks", () => {
    const find = openPage(
      "<div id=x>a<p>b</p><p hidden>c</p><span aria-hidden=true>d</span><script>e</script><i>f</i>g</div>",
    );
    expect(textOf(find("#x"))).toBe("a b fg");
  });

  it("reads labels instead of the labelled content", () => {
    const find = openPage("<div id=x>see <span aria-label='chapter 2'>ch. 2</span></div>");
    expect(textOf(find("#x"))).toBe("see chapter 2");
  });

  it("reads shadow roots and the nodes in their slots", () => {
    const find = openPage("<div id=x><p id=host>light</p></div>");
    find("#host").attachShadow({ mode: "open" }).innerHTML = "<i>before</i> <b>shadow</b>";
    expect(textOf(find("#x"))).toBe("before shadow");
  });

  it("stops at the limit", () => {
    const find = openPage(`<div id=x>${"<b>word</b> ".repeat(200)}</div>`);
    expect(textOf(find("#x"), 10)).toBe("word word …");
  });
});
