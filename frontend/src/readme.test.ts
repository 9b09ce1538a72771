// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);

function sources(): string {
  const files = readdirSync(new URL("src", root), { recursive: true, encoding: "utf8" });
  return files
    .filter((f) => f.endsWith(".tsx"))
    .map((f) => readFileSync(new URL(`src/${f}`, root), "utf8"))
    .join("\n");
}

/** Returns plain names only, because names that contain a value are built at run time. */
function named(): string[] {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const table = readme.slice(readme.indexOf("## data-testid"));
  return [...table.matchAll(/`([a-z][a-z-]+)`/g)].map((m) => m[1] ?? "").filter((n) => !n.startsWith("rail-"));
}

test("every data-testid is in the README, and every one in the README is in the page", () => {
  const text = sources();
  const used = new Set([...text.matchAll(/testid="([a-z-]+)"/g)].map((m) => m[1] ?? ""));
  const documented = new Set(named());
  const patterns = /^(field|risk|error|theme|menu|empty|action|provider)-/;
  expect([...used].filter((n) => !documented.has(n) && !patterns.test(n) && n !== "rail-badge")).toEqual([]);
  expect([...documented].filter((n) => !used.has(n))).toEqual([]);
});
