// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const src = new URL("../../", import.meta.url);
/** A confirmation explains itself, and the help dialog needs no help button. */
const without = ["shell/confirmdialog.tsx", "features/help/dialog.tsx"];

test("every dialog names the page of the documents about it", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (f) => f.endsWith(".tsx") && !f.endsWith(".test.tsx") && !f.startsWith("ui/") && !without.includes(f),
  );
  let dialogs = 0;
  for (const file of files) {
    const text = readFileSync(new URL(file, src), "utf8");
    for (const [tag] of text.matchAll(/<(Form)?Dialog\n[\s\S]*?\n\s*>\n/g)) {
      dialogs++;
      expect(tag, file).toMatch(/\n\s*help="[a-z/-]+"\n/);
    }
  }
  expect(dialogs).toBeGreaterThan(12);
});
