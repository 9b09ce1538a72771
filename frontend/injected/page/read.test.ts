import { describe, expect, it } from "vitest";
import { excerptText, readPage } from "./read";
import { openPage } from "./testpage";

function read(html: string, whole = true): string {
  openPage(html);
  return readPage("", false, whole, 0, 100000).text;
}

describe("readPage", () => {
  it.each([
    ["<h2>Title</h2><p>Text  with\nspaces</p>", "## Title\n\nText with spaces"],
    ["<p>one <br> two</p>", "one\ntwo"],
    ["<p>See <a href='https://example.org/a'>this</a>.</p>", "See [this](https://example.org/a)."],
    ["<p><a href='javascript:x()'>run</a></p>", "run"],
    ["<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"],
    ["<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"],
    ["<pre>x\n  y\n</pre>", "```\nx\n  y\n```"],
    ["<p>run <code>go test</code></p>", "run `go test`"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n> \n> b"],
    ["<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"],
    ["<p><img alt='A cat'></p>", "![A cat]"],
    ["<p>a\u202eb</p><p hidden>c</p>", "ab"],
    ["<p>x <input value=typed><input type=password value=secret></p>", "x typed"],
  ])("writes %s as Markdown", (html, want) => {
    expect(read(html)).toBe(want);
  });

  it("writes a table with its caption, spans and escaped bars", () => {
    const html = `<table><caption>Prices</caption><tr><th>a</th><th colspan=2>b</th></tr>
      <tr><td>1|2</td><td>3</td></tr><tr><td></td></tr></table>`;
    expect(read(html)).toBe("Prices\n\n| a | b |  |\n| --- | --- | --- |\n| 1\\|2 | 3 |  |");
  });

  it("leaves out parts beside the content, unless the whole page is requested", () => {
    const html = "<nav>Menu</nav><main>Content of the page</main><footer>Imprint</footer>";
    expect(read(html, false)).toBe("Content of the page");
    expect(read(html)).toContain("Menu");
  });

  it("gives tables alone", () => {
    openPage("<p>text</p><table><tr><td>a</td></tr></table>");
    expect(readPage("", true, false, 0, 1000).text).toBe("| a |\n| --- |");
  });
});

describe("excerptText", () => {
  it("cuts at the end of a line, and says where to continue", () => {
    const text = "first line\nsecond line\nthird";
    const one = excerptText(text, 0, 15);
    expect(one).toEqual({ text: "first line\n", next: 11, total: text.length });
    expect(excerptText(text, one.next, 100)).toEqual({ text: "second line\nthird", next: 0, total: text.length });
  });

  it("does not cut a character in half", () => {
    expect(excerptText("abc😀def", 0, 4).text).toBe("abc");
  });

  it("gives nothing past the end", () => {
    expect(excerptText("abc", 3, 10)).toEqual({ text: "", next: 0, total: 3 });
  });
});
