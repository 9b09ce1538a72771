import { expect, test } from "vitest";
import { failureLines, parseArguments, resultText } from "@/lib/text";
import { callWords, exitCode } from "./callwords";

const words = (tool: string, args: object, outcome = "ok", touched = "") => {
  const w = callWords({ tool, arguments: JSON.stringify(args), outcome }, touched);
  const counts = `${w.added === undefined ? "" : ` +${w.added}`}${w.removed === undefined ? "" : ` −${w.removed}`}`;
  return `${w.verb} ${w.object}`.trim() + counts;
};

test("calls become plain words", () => {
  expect(words("edit_file", { path: "cart/cart.go", old: "a\nb\nc\n", new: "a\nx\ny\nc\n" })).toBe(
    "Edited cart.go +2 −1",
  );
  expect(words("edit_file", { path: "a.go", old: "one\n", new: "one\ntwo\n" })).toBe("Edited a.go +1 −0");
  expect(words("write_file", { path: "notes.md", content: "a\nb\n" })).toBe("Wrote notes.md +2");
  expect(words("run_command", { command: "go test ./…" })).toBe("Ran go test ./…");
  expect(words("run_command", { command: "go test ./…" }, "")).toBe("Running go test ./…");
  expect(words("browser_open", { url: "https://example.org/" })).toBe("Opened example.org");
  expect(words("browser_click", { target: "Check out" })).toBe("Clicked “Check out”");
  expect(words("read_file", { path: "src/cart.ts" })).toBe("Read cart.ts");
  expect(words("notes__search", {})).toBe("Used search of notes");
  expect(words("tool_of_tomorrow", {})).toBe("Used tool_of_tomorrow");
});

test("an element's number is not shown: what was touched is, where it is known", () => {
  expect(words("browser_click", { target: "e14" }, "ok", "click “Check out”")).toBe("Clicked “Check out”");
  expect(words("browser_click", { target: "e14" })).toBe("Clicked an element");
});

test("hostile arguments are text: marks for what turns a line round, and nothing breaks", () => {
  expect(words("run_command", { command: "echo \u202Egpj.exe" })).toBe("Ran echo ‹U+202E›gpj.exe");
  expect(callWords({ tool: "edit_file", arguments: "[1]", outcome: "ok" }).object).toBe("");
  expect(callWords({ tool: "read_file", arguments: '{"path": 7}', outcome: "ok" }).object).toBe("");
  expect(callWords({ tool: "constructor", arguments: "{}", outcome: "ok" }).verb).toBe("Used");
});

test("arguments that were cut off keep what is whole", () => {
  expect(parseArguments('{"path":"src/a.go","old":"x\\n\\"y\\"","new":"cut o…')).toEqual({
    path: "src/a.go",
    old: 'x\n"y"',
  });
});

test("a result loses the marks that are for models, and a failure keeps the lines that tell why", () => {
  const result =
    '{"ok":false,"ms":2100}\nexit 1\n<output from="the command">\nstart\n--- FAIL: TestCouponTwice\n' +
    "    cart_test.go:88: got 2 coupons, want 1\nend\n</output>";
  expect(resultText(result)).toBe(
    "exit 1\nstart\n--- FAIL: TestCouponTwice\n    cart_test.go:88: got 2 coupons, want 1\nend",
  );
  expect(failureLines(result)).toEqual(["--- FAIL: TestCouponTwice", "cart_test.go:88: got 2 coupons, want 1"]);
  expect(failureLines("exit 2\na\nb\nc\nd")).toEqual(["b", "c", "d"]);
  expect(exitCode("exit 1")).toBe(1);
  expect(exitCode("exit 0 after a while")).toBe(0);
  expect(exitCode("killed after 2 s")).toBeNull();
});
