import { expect, test } from "vitest";
import { marked } from "marked";
import { followHelpLink, headingAnchor, type HelpPage } from "@/lib/helppages";
import { helpTexts, searchHelp } from "./pages";

test("every link between the pages leads to a page and a heading that exist", () => {
  const headings = new Map(
    helpTexts.map((h) => [
      h.page,
      marked
        .lexer(h.text)
        .filter((t) => t.type === "heading")
        .map((t) => headingAnchor((t as { text: string }).text)),
    ]),
  );
  let links = 0;
  for (const h of helpTexts) {
    expect(h.title, h.page).not.toBe("");
    for (const [, href = ""] of h.text.matchAll(/(?<!!)\[[^\]]*\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(href)) continue;
      links++;
      const to = followHelpLink(h.page, href);
      expect(to, `${h.page} links to ${href}`).not.toBeNull();
      const [page, anchor] = (to ?? "").split("#");
      if (anchor) expect(headings.get(page as HelpPage), `${h.page}: ${href}`).toContain(anchor);
    }
  }
  expect(links).toBeGreaterThan(10);
});

test("nothing outside of the documents is a page", () => {
  expect(followHelpLink("guide/faq", "../how-to/goals.md#limits")).toBe("how-to/goals#limits");
  expect(followHelpLink("guide/faq", "#x")).toBe("guide/faq#x");
  for (const href of ["../../README.md", "https://example.org/guide/faq.md", "javascript:alert(1)", "//evil/faq.md"])
    expect(followHelpLink("guide/faq", href), href).toBeNull();
});

test("search finds pages by their words, those with a fitting title first", () => {
  expect(searchHelp("undo")[0]?.page).toBe("guide/undo");
  expect(searchHelp("OLLAMA").map((h) => h.page)).toContain("how-to/connect-a-model");
  expect(searchHelp("no such word anywhere")).toEqual([]);
});
