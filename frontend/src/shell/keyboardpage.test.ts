// @vitest-environment node
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { WorkspaceControl } from "@/panes/control";
import { keyLabel } from "@/lib/keys";
import { leaderKey } from "@/lib/actions";
import type { App } from "@/store/app";
import { goalTabLabels, goalTabs } from "@/store/state";
import { buildCommands } from "./actions";

const page = new URL("../../../docs/guide/keyboard.md", import.meta.url);

function keyboardPage(): string {
  const none: unknown = {}; // the test does not run the commands
  const commands = buildCommands(none as App, none as WorkspaceControl);
  const rows = commands
    .filter((c) => c.keys.length > 0 || c.leader !== "")
    .map((c) => `| ${c.group} | ${c.title} | ${c.keys.map(keyLabel).join(", ")} | ${c.leader.toUpperCase()} |`);
  const tabs = goalTabs.map((tab, i) => `${i + 1} ${goalTabLabels[tab]}`);
  return `# Keyboard

Generated from the window's commands: \`UPDATE_DOCS=1 npx vitest run src/shell/keyboardpage.test.ts\` in \`frontend\`.

Ctrl+Shift+P finds actions, goals, panes, files, servers, models, settings and help. Type >, @, # or / first for actions, goals, panes or
files only. ${keyLabel(leaderKey)} and then a letter or arrow is a second way, for keys that your desktop or browser uses itself. On a Mac keyboard, Cmd counts as Ctrl. Keys of shells (Ctrl+R, Ctrl+W and so on) always reach the terminal.
**Settings > Keyboard** changes the keys of the third column and the letters of the last, which are the defaults here, and finds what a key does.

| | command | key | after ${keyLabel(leaderKey)} |
|---|---|---|---|
${rows.join("\n")}

**In an open goal:** ${tabs.join(", ")}. In a plot, ← and → move the cursor from point to point, Home and End to the first and the last one.

**In terminals:** Ctrl+Shift+C copies, Ctrl+Shift+V pastes.

**In browser panes**, the keys of browsers work: Ctrl+L goes to the address bar, Ctrl+F finds, Ctrl+R and F5 reload, Esc stops loading, Ctrl+P prints,
Alt+← and Alt+→ go back and forward (to the next pane where the page cannot), Alt+Home opens the home page, Ctrl++, Ctrl+- and Ctrl+0 zoom,
F12 and Ctrl+Shift+I open the developer tools.

From a page, Ctrl+Shift+T reopens the page that was closed last, and opens a terminal if there is none. At the first tab, Ctrl+Shift+Tab leaves the page.
`;
}

test("the page about the keyboard lists the keys of every command", () => {
  const want = keyboardPage();
  if (process.env.UPDATE_DOCS) writeFileSync(page, want);
  expect(readFileSync(page, "utf8")).toBe(want);
});
