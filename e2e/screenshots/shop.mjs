// The folder that the goals of the pictures work in, and what the scripted model does there.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const cart = `// Totals of a shopping cart. All amounts are in cents.
package cart

type Item struct {
	Name  string
	Cents int
	Count int
}

func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Cents
	}
	return sum
}
`;

const index = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Storefront</title><link rel="stylesheet" href="style.css"></head>
  <body>
    <header><h1>Storefront</h1><nav><a href="#new">New</a> <a href="#sale">Sale</a> <a href="#cart">Cart (2)</a></nav></header>
    <main>
      <article><h2>Walking boots</h2><p>Waterproof, resoleable.</p><b>$129.00</b></article>
      <article><h2>Rain jacket</h2><p>Three layers, 380 g.</p><b>$189.00</b></article>
      <article><h2>Head torch</h2><p>400 lumen, USB-C.</p><b>$39.00</b></article>
    </main>
  </body>
</html>
`;

const style = `body { font: 16px/1.5 system-ui; margin: 0; color: #1c2430; background: #f6f7f9 }
header { background: #1f4e5f; color: #fff; padding: 12px 24px; display: flex; justify-content: space-between }
header a { color: #fff; margin-left: 12px } h1 { font-size: 20px; margin: 0 }
main { display: flex; gap: 16px; padding: 24px; flex-wrap: wrap }
article { background: #fff; border-radius: 8px; padding: 16px; flex: 1 1 160px }
`;

/** Makes a repository with a bug, a page and a check. */
export function makeShop(dir) {
  mkdirSync(join(dir, "test"), { recursive: true });
  const files = {
    "cart.go": cart,
    "index.html": index,
    "style.css": style,
    "README.md": "# Storefront\n\nA small shop.\n",
    "test/total.sh":
      "#!/bin/sh\ngrep -q 'item.Cents \\* item.Count' cart.go || { echo 'FAIL: 2 boots cost 129.00, expected 258.00'; exit 1; }\necho 'ok: 3 totals'\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: dir });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "Add the storefront");
}

export const goals = {
  cart: "Count each item of the cart as often as it was ordered",
  notes: "Write release notes for version 2.1",
  prices: "Compare our prices with example.org",
  page: "Publish the storefront and look at it",
  invoice: "Add the legal entity to the invoices",
  broken: "Make the nightly build pass again",
};

const claim = (rationale, result) => ({ tool: "claim_complete", args: { rationale, ...(result && { result }) } });
const run = (command, text) => ({ text, tool: "run_command", args: { command } });

/** Returns the pane that the last result names. */
function paneOf(body, letter) {
  const results = body.messages.filter((m) => m.role === "tool").map((m) => JSON.stringify(m.content));
  return results.flatMap((r) => [...r.matchAll(new RegExp(`pane (${letter}\\d+)`, "g"))].map((m) => m[1])).at(-1);
}

const scripts = (goalctl, port) => ({
  [goals.cart]: [
    {
      text: "I look at the code of the cart and at what the test expects.",
      tool: "write_todos",
      args: {
        todos: ["Find how the total is made", "Multiply by the count", "Run the test"].map((text) => ({ text })),
      },
    },
    { tool: "read_file", args: { path: "cart.go" } },
    run("sh test/total.sh", "The total adds each price once. I run the test to see it fail."),
    {
      text: "`Total` ignores `Count`. I multiply.",
      tool: "edit_file",
      args: { path: "cart.go", old: "sum += item.Cents\n", new: "sum += item.Cents * item.Count\n" },
    },
    run("sh test/total.sh"),
    {
      tool: "write_file",
      args: { path: "CHANGES.md", content: "- The total counts each item as often as ordered.\n" },
    },
    claim(
      "test/total.sh passes",
      "**The total was wrong for more than one item of a kind.**\n\n`Total` in `cart.go` added each price once. It now " +
        "multiplies the price by the count.\n\n- 2 boots cost $258.00 instead of $129.00\n- one line changed, and a line in `CHANGES.md`",
    ),
  ],
  [goals.notes]: [
    { tool: "write_file", args: { path: "NOTES-2.1.md", content: "# 2.1\n\n- Totals count items.\n" } },
    claim("NOTES-2.1.md is there", "The notes are in `NOTES-2.1.md`."),
  ],
  [goals.prices]: [
    { text: "I open the page of the other shop.", tool: "browser_open", args: { url: "https://example.org/prices" } },
  ],
  [goals.page]: [
    { text: "I start a server for the page.", tool: "terminal_open", args: { title: "server" } },
    (body) => ({
      tool: "terminal_run",
      args: { pane: paneOf(body, "t"), command: `'${goalctl}' static --listen 127.0.0.1:${port} .`, wait_seconds: 1 },
    }),
    (body) => ({ tool: "terminal_wait", args: { pane: paneOf(body, "t"), for: "pattern", pattern: "Serving" } }),
    { text: "It runs. Now I look at it.", tool: "browser_open", args: { url: `http://127.0.0.1:${port}/` } },
    (body) => ({ tool: "browser_wait", args: { pane: paneOf(body, "b"), text: "never on this page", seconds: 600 } }),
  ],
  [goals.invoice]: [
    {
      text: "The invoice names no company.",
      tool: "ask_user",
      args: { question: "Which legal entity is on the invoice?" },
    },
  ],
  [goals.broken]: [
    run("make nightly", "I run the build to see why it fails."),
    {
      tool: "abort_with_report",
      args: {
        reason: "This folder has no Makefile and no other build.",
        what_was_learned: "The nightly build may be in another repository.",
      },
    },
  ],
});

/** Returns the next turn of the scripted model, which depends on the goal and its progress. */
export function playShop(goalctl, port) {
  const all = scripts(goalctl, port);
  return (body) => {
    const conversation = JSON.stringify(body.messages);
    const [, turns] = Object.entries(all).find(([objective]) => conversation.includes(objective)) ?? [];
    if (!turns) return { text: "There is nothing to do." };
    const done = body.messages.filter((m) => m.role === "assistant").length;
    const turn = turns[Math.min(done, turns.length - 1)];
    return typeof turn === "function" ? turn(body) : turn;
  };
}
