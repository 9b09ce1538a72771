import { expect, test } from "vitest";
import { markdownText } from "./markdowntext";

test("in one line, a text has no marks", () => {
  expect(markdownText("**Done** in `a.go`.\n\n- one\n- *two*\n\n[site](https://a.test)")).toBe(
    "Done in a.go. one two site",
  );
  expect(markdownText("<b>5 < 6</b> & ![cat](https://a.test/c.png)")).toBe("<b>5 < 6</b> & cat");
  expect(markdownText("see \u202Egpj.exe")).toBe("see ‹U+202E›gpj.exe");
  expect(markdownText("npm run build_all_now")).toBe("npm run build_all_now");
});
