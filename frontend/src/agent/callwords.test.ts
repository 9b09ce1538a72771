import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failureLines, parseArguments, resultText } from "@/lib/text";
import { callSentence, callWords, exitCode, plannedCall } from "./callwords";

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
  expect(words("tool_of_tomorrow", {})).toBe("Used tool of tomorrow");
});

test("every tool of the agent has words of its own, in which its name is not", () => {
  const page = readFileSync("../docs/tools.md", "utf8");
  const tools = [...page.slice(0, page.indexOf("## Counterparts")).matchAll(/^### (\w+)$/gm)].map(
    ([, name]) => name ?? "",
  );
  const engines = ["agent_read", "agent_edit", "agent_run", "agent_fetch", "agent_other"];
  expect(tools.length).toBeGreaterThan(50);
  for (const tool of [...tools, ...engines]) {
    for (const outcome of ["", "ok"]) {
      const sentence = callSentence({ tool, arguments: "{}", outcome });
      expect(sentence, tool).not.toMatch(/^Us(?:ed|ing) (?!the page's cookies|a tool of its own)/);
      expect(sentence, tool).not.toContain("_");
    }
  }
});

test("what a call waits for, reads from the web and changes with another agent's tools is named", () => {
  expect(words("fetch_url", { url: "https://example.org/terms/" })).toBe("Read example.org/terms");
  expect(words("web_search", { query: "terms of use" }, "")).toBe("Searching the web for “terms of use”");
  expect(words("wait_until", { for: "CI of pull request 7", command: "gh run" })).toBe(
    "Waited for CI of pull request 7",
  );
  expect(words("agent_edit", { paths: ["/a/b.go", "/a/c.go"] })).toBe("Edited b.go and 1 more");
  expect(words("agent_run", { command: "go test" })).toBe("Ran go test");
});

test("a request is named by what it does, with the host's own words for where", () => {
  const planned = (tool: string, args: object, hosts: string[] = [], paths: string[] = []) =>
    plannedCall({ tool, arguments: JSON.stringify(args), hosts, paths });
  expect(planned("browser_open", { url: "https://a.test@example.org/a" }, ["example.org"])).toBe("Open example.org");
  expect(planned("fetch_url", { url: "https://example.org/a" }, ["example.org"])).toBe("Read example.org");
  expect(planned("edit_file", {}, [], ["/a/b/RELEASE.md"])).toBe("Edit RELEASE.md");
  expect(planned("browser_click", { target: "Send \u202eorder" }, ["shop.test"])).toBe(
    "Click “Send ‹U+202E›order” on shop.test",
  );
  expect(planned("browser_click", { target: "css=#pay" }, ["shop.test"])).toBe("Click an element on shop.test");
  expect(planned("browser_upload", {}, ["a.test"])).toBe("Upload files on a.test");
  expect(planned("run_command", { command: "x".repeat(90) })).toHaveLength(60);
  expect(plannedCall({ tool: "some_new_tool", arguments: "{", hosts: null, paths: null })).toBe("Use some new tool");
});

test("an element's number or selector is not shown: what was touched is, where it is known", () => {
  expect(words("browser_click", { target: "e14" }, "ok", "click “Check out”")).toBe("Clicked “Check out”");
  expect(words("browser_click", { target: "e14" })).toBe("Clicked an element");
  expect(words("browser_type", { target: "css=#code" })).toBe("Typed into an element");
  expect(words("browser_type", { target: "css=#code" }, "ok", "fills textbox “Code”")).toBe(
    "Typed into textbox “Code”",
  );
  expect(words("browser_drag", { from: "at=1,2", to: "e3" })).toBe("Dragged an element");
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
