import { describe, expect, it } from "vitest";
import { scrollDistance } from "./scroll";
import { openPage } from "./testpage";
import { foldCase, openField, searchText } from "./textindex";

const find = (query: string, limit = 100) => searchText(query, limit).ranges.map((r) => r.toString());

describe("searchText", () => {
  it("ignores case and finds text across elements of a line", () => {
    openPage("<p>Hello <b>wor</b>ld, HELLO</p>");
    expect(find("hello")).toEqual(["Hello", "HELLO"]);
    expect(find("World")).toEqual(["world"]);
  });

  it("finds nothing across blocks", () => {
    openPage("<p>ab</p><p>cd</p>");
    expect(find("bc")).toEqual([]);
    expect(find("b")).toEqual(["b"]);
  });

  it("treats every white space as a space", () => {
    openPage("<p>a\nb\u00a0c</p>");
    expect(find("a b c")).toHaveLength(1);
  });

  it("finds nothing that is hidden", () => {
    openPage("<p hidden>word</p><script>word</script><p>word</p>");
    expect(find("word")).toHaveLength(1);
  });

  it("stops at the limit and finds no overlapping matches", () => {
    openPage("<p>aaaaaa</p>");
    expect(find("aa")).toHaveLength(3);
    expect(find("aa", 2)).toHaveLength(2);
  });

  it("reads shadow roots", () => {
    openPage("<div id=h></div>")("#h").attachShadow({ mode: "open" }).innerHTML = "<p>shadow</p>";
    expect(find("shadow")).toHaveLength(1);
  });

  it("asks for fields with the text, and reads those that were opened", () => {
    const page = openPage(
      "<input id=a value='some word'><input value=other><input type=password value=word><div id=root></div>",
    );
    expect(searchText("WORD", 10).closedFields).toEqual([page("#a")]);
    const root = page("#root").attachShadow({ mode: "open" });
    root.textContent = "some word";
    const field = page("#a");
    openField(Object.create(root, { host: { value: field } }) as ShadowRoot);
    expect(searchText("WORD", 10).closedFields).toEqual([]);
  });
});

it("foldCase keeps positions", () => {
  expect(foldCase("ABC")).toBe("abc");
  expect(foldCase("İx")).toHaveLength(2);
});

it.each([
  [10, 20, 0, 100, 0],
  [110, 120, 0, 100, 65],
  [-50, -40, 0, 100, -95],
])("scrollDistance(%d, %d, %d, %d) is %d", (low, high, from, to, want) => {
  expect(scrollDistance(low, high, from, to)).toBe(want);
});
