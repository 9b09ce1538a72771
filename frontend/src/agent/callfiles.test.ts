import { expect, test } from "vitest";
import { callFiles } from "./callfiles";

const edited = "Edited cart.ts.\n@@ -10,3 +11,4 @@\n a\n b\n+new\n c\n";

test.each([
  ["read_file", { path: "cart.ts", line: 120 }, "text", [{ path: "cart.ts", line: 120 }]],
  ["read_file", { path: "cart.ts", line: -1 }, "text", [{ path: "cart.ts", line: 0 }]],
  ["edit_file", { path: "cart.ts", old: "a", new: "b" }, edited, [{ path: "cart.ts", line: 13 }]],
  ["write_file", { path: "cart.ts" }, "", [{ path: "cart.ts", line: 0 }]],
  ["write_file", { path: 3 }, "", []],
  ["agent_edit", { paths: ["a.ts", 2, "b.ts"] }, "", ["a.ts", "b.ts"].map((path) => ({ path, line: 0 }))],
  ["run_command", { path: "cart.ts" }, "", []],
])("%s with %o names its files", (tool, args, result, want) => {
  expect(callFiles(tool, args, result)).toEqual(want);
});
