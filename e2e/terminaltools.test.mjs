// What a terminal offers beyond its program: questions before pastes, links, the mouse, and the menu of its pane.
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { savedSettings } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { hoverWord, withWindow } from "./lib/terminals.mjs";
import { until } from "./window/window.mjs";

test("lines are pasted into a program that would run them only after a question", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copy = (text) => page.evaluate((text) => navigator.clipboard.writeText(text), text);
    const terminal = await win.open("Control+Shift+KeyT");
    await win.type(terminal, "sh -c 'echo reading $((1+1)); while read -r line; do echo \"<$line>\"; done'");
    await win.sees(terminal, "reading 2");

    // One line needs no question, and nothing is pasted after Cancel.
    await copy("single");
    await win.press("Control+Shift+KeyV");
    await win.press("Enter");
    await win.sees(terminal, "<single>");
    await copy("alpha one\nbeta two");
    await win.press("Control+Shift+KeyV");
    await page.getByText("Paste 2 lines?").waitFor();
    await page.getByText("They begin with “alpha one”", { exact: false }).last().waitFor();
    await win.at("question-no").click();
    await win.at("question").waitFor({ state: "detached" });
    assert.equal(await terminal.getByText("alpha").count(), 0);

    // Shift+Insert is the page's own paste.
    await terminal.locator(".xterm-screen").click();
    await win.press("Shift+Insert");
    await win.at("question-other").click();
    await win.terminalFocused();
    await win.press("Enter");
    await win.sees(terminal, "<alpha one beta two>");
    await win.press("Control+Shift+KeyV");
    await win.at("question-yes").click();
    await win.sees(terminal, "<alpha one>");
    await win.terminalFocused();
    await win.press("Enter");
    await win.sees(terminal, "<beta two>");
  }),
);

test("a link, the mouse, the end and the settings of a terminal", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { page }) => {
    const terminal = await win.open("Control+Shift+KeyT");

    // Ctrl+click opens a link outside, where the window has no pane for it.
    const server = createServer((_request, answer) => answer.end("<title>outside</title>")).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await win.type(terminal, `clear; echo http://127.0.0.1:${server.address().port}/outside`);
      const link = terminal.locator(".xterm-rows").getByText(/^http.*outside$/);
      await link.hover({ force: true });
      await terminal.locator(".xterm-cursor-pointer").waitFor();
      const opened = page.context().waitForEvent("page");
      await link.click({ force: true, modifiers: ["Control"] });
      const outside = await opened;
      await outside.waitForURL(/\/outside$/);
      await outside.close();
      assert.equal(await win.at("browser").count(), 0);
    } finally {
      server.close();
      server.closeAllConnections();
    }

    // A program that takes the mouse has the right button, until the mouse is kept from it.
    await win.type(terminal, "sh -c 'stty -echo -icanon; printf \"\\033[?1000h\"; echo mouse $((1+2)); exec cat -v'");
    await win.sees(terminal, "mouse 3");
    await terminal.locator(".xterm-screen").click();
    await win.sees(terminal, "^[[M");
    await win.menu(terminal, "mouse");
    await terminal.locator(".xterm-screen").click({ button: "right" });
    await win.at("menu-mouse").getByText("Let the program use the mouse").click();
    await win.at("menu-mouse").waitFor({ state: "detached" });
    await terminal.locator(".xterm-screen").click({ button: "right" });
    assert.equal(await win.at("menu-mouse").count(), 0);

    // End asks while a command runs, and leaves the pane with its output. Restart starts the shell below it.
    await win.menu(terminal, "end");
    await win.at("question-yes").getByText("End it", { exact: true }).click();
    await win.at("terminal-restart").waitFor();
    await win.sees(terminal, "mouse 3");
    await win.menu(terminal, "restart");
    await win.at("terminal-restart").waitFor({ state: "detached" });
    await win.type(terminal, "echo again $((6+6)) $$");
    await win.sees(terminal, "again 12");
    const shell = async () => /again 12 (\d+)/.exec(await terminal.innerText())[1];
    const before = await shell();
    await win.menu(terminal, "restart"); // no command runs, so there is no question
    await win.type(terminal, "clear; echo again 12 $$");
    await page.waitForFunction(
      ([id, before]) => {
        const text = document.querySelector(`[data-testid="terminal"][data-pane="${id}"]`)?.innerText;
        const found = /again 12 (\d+)/.exec(text);
        return found && found[1] !== before;
      },
      [await terminal.getAttribute("data-pane"), before],
    );

    await win.menu(terminal, "terminal-settings");
    await page.waitForFunction(() => document.activeElement?.dataset.testid === "font-size");
  }),
);

test("a command and its output are copied, selected, typed again and asked about", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = (want) =>
      page.waitForFunction((want) => navigator.clipboard.readText().then((text) => text === want), want);
    const terminal = await win.open("Control+Shift+KeyT");
    await win.type(terminal, "echo one $((1+0)); echo two $((1+1))");
    await win.sees(terminal, "two 2");
    await win.type(terminal, "echo other $((3+4))");
    await win.sees(terminal, "other 7");

    // The menu beside the tab is about the newest command, a right click about the one under the pointer.
    await win.menu(terminal, "copy-output");
    await copied("other 7");
    const first = terminal.locator(".xterm-rows").getByText("two 2", { exact: true });
    await first.click({ button: "right", force: true });
    await win.at("menu-ask-command").getByText("Ask about “echo one").waitFor();
    await win.at("menu-copy-output").click();
    await copied("one 1\ntwo 2");
    await first.click({ button: "right", force: true });
    await win.at("menu-copy-command").click();
    await copied("echo one $((1+0)); echo two $((1+1))");
    await first.click({ button: "right", force: true });
    await win.at("menu-select-output").click();
    await win.terminalFocused();
    await win.press("Control+Shift+KeyC");
    await copied("one 1\ntwo 2");

    // The keys jump from one to the one before, also where nothing needs to be scrolled.
    await terminal.locator(".xterm-screen").click();
    await win.press("Control+Shift+ArrowUp");
    await win.press("Control+Shift+ArrowUp");
    await terminal.locator(".prompt-chosen").waitFor();
    await win.palette("copy the command");
    await copied("echo one $((1+0)); echo two $((1+1))");
    await win.terminalFocused();
    await win.press("Control+Shift+ArrowDown");
    await win.palette("copy the output of");
    await copied("other 7");

    // It is typed in place of what is at the prompt, and runs when the user presses Enter.
    await win.type(terminal, "clear");
    await win.type(terminal, "echo again $((7+7)) $((1+1))");
    await win.sees(terminal, "again 14 2");
    await terminal.locator(".xterm-screen").click();
    await page.keyboard.type("half a line");
    await win.palette("type the command again");
    await win.terminalFocused();
    await terminal
      .locator(".xterm-rows")
      .getByText(/^[^h]*echo again.*$/)
      .nth(1)
      .waitFor();
    assert.equal(await terminal.getByText("again 14 2").count(), 1);
    await win.press("Enter");
    await terminal.getByText("again 14 2").nth(1).waitFor();

    await win.menu(terminal, "ask-command");
    await win.at("chat-panel").getByText("echo again $((7+7)) $((1+1))").first().waitFor();
  }),
);

test("the cursor and the shell of the settings are those of terminals", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { home }) => {
    const terminal = await win.open("Control+Shift+KeyT");
    await terminal.locator(".xterm-cursor-block").waitFor();
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("cursor-style-bar").click();
    await win.at("shell").fill("/no/such/shell");
    await win.press("Enter");
    await win.at("error-shell").getByText("the shell /no/such/shell is not a program").waitFor();
    await win.at("shell").fill("/bin/sh");
    await win.press("Enter");
    await savedSettings(home, (s) => s.shell === "/bin/sh" && s.cursor_style === "bar");
    await win.at("settings-close").click();
    await terminal.locator(".xterm-screen").click();
    await terminal.locator(".xterm-cursor-bar").waitFor();
    const second = await win.open("Control+Shift+KeyT");
    await win.type(second, "echo $0 $SHELL $((2+3))");
    await win.sees(second, "/bin/sh /bin/sh 5");
  }),
);

/** The colors in which a terminal draws a text: its own, and that behind it. */
async function drawnColors(terminal, text) {
  // A row that is drawn again in this moment has no style.
  const of = (locator, property) =>
    until(`the ${property}`, () => locator.evaluate((el, name) => getComputedStyle(el)[name], property));
  const numbers = (color) => color.match(/\d+/g).slice(0, 3).map(Number);
  const shown = terminal.locator(".xterm-rows span", { hasText: text }).last();
  return {
    text: numbers(await of(shown, "color")),
    behind: numbers(await of(terminal.getByRole("group"), "backgroundColor")),
  };
}

function contrast(a, b) {
  const luminance = (color) => {
    const [r, g, b] = color.map((n) => (n / 255 <= 0.03928 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

test("a color scheme of the settings is that of the open terminals", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    const terminal = await win.open("Control+Shift+KeyT");
    const has = (color) =>
      page.waitForFunction(
        ([id, color]) => {
          const group = document.querySelector(`[data-testid="terminal"][data-pane="${id}"] [role="group"]`);
          return group !== null && getComputedStyle(group).backgroundColor === color;
        },
        [pane, color],
      );
    const pane = await terminal.getAttribute("data-pane");
    await win.type(terminal, 'printf "\\033[33mgol%s\\033[0m\\n" den');
    await win.sees(terminal, "golden");

    // Yellow on the paper of this scheme has a contrast of less than 3.
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("color-scheme").selectOption("Solarized Light");
    await win.at("settings-close").click();
    await has("rgb(253, 246, 227)");
    await page.waitForFunction((id) => {
      const rows = document.querySelectorAll(`[data-pane="${id}"] .xterm-rows span`);
      return [...rows].some((el) => el.textContent === "golden" && el.style.color !== "");
    }, pane);
    const { text, behind } = await drawnColors(terminal, "golden");
    assert.deepEqual(behind, [253, 246, 227]);
    assert.ok(contrast(text, behind) >= 4.5, `the contrast of ${text} on ${behind} is ${contrast(text, behind)}`);

    // A file that is no scheme is refused with what is wrong; a scheme that is imported is chosen.
    const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    const palette = [..."0123456789ABCDEF"].map((n) => `base0${n}: "${n === "0" ? "102030" : "c0d0e0"}"`).join("\n");
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("color-scheme-file").setInputFiles(file("half.yaml", palette.split("\n").slice(0, 9).join("\n")));
    await win.at("error-color-scheme").getByText("half.yaml cannot be imported: it has no color base0B").waitFor();
    await win.at("color-scheme-file").setInputFiles(file("evening.yaml", `scheme: "Evening"\n${palette}\n`));
    await win.at("error-color-scheme").waitFor({ state: "detached" });
    await savedSettings(home, (s) => s.color_scheme === "Evening");
    await win.at("settings-close").click();
    await has("rgb(16, 32, 48)");

    // A terminal that opens later has it, too. The schemes of a page that loads again are there before its terminals.
    const second = await win.open("Control+Shift+KeyT");
    assert.deepEqual((await drawnColors(second, /[#$]/)).behind, [16, 32, 48]);
    await page.reload();
    await has("rgb(16, 32, 48)");

    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await page.getByRole("button", { name: "Remove the color scheme Evening" }).click();
    await win.at("question-yes").click();
    await win.at("imported-scheme").waitFor({ state: "detached" });
    assert.equal(await win.at("color-scheme").inputValue(), "");
    await savedSettings(home, (s) => s.color_scheme === "");
    await win.at("settings-close").click();
    await page.waitForFunction(
      (id) =>
        document.querySelector(`[data-testid="terminal"][data-pane="${id}"] [role="group"]`)?.style.background === "",
      pane,
    );
  }),
);

test("a terminal profile is made, opened, copied, removed and the default", { timeout: limit(300_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    const shop = join(home, "shop");
    mkdirSync(shop);
    const fill = async (fields) => {
      for (const [name, value] of Object.entries(fields)) await win.at(`profile-${name}`).fill(value);
      await win.at("profile-save").click();
    };
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("profile-add").click();
    await fill({ name: "Shop", command: "no-such-shell", dir: "/no/such/folder", env: "GREETING=hello you" });
    await win
      .at("profile-form")
      .getByText("the folder /no/such/folder of the terminal profile Shop does not exist")
      .waitFor();
    await fill({ dir: shop });
    await win.at("profile-form").getByText("the program of the terminal profile Shop does not exist").waitFor();
    await win.at("profile-scheme").selectOption("Dracula");
    await fill({ command: "/bin/sh" });
    await win.at("profile-form").waitFor({ state: "detached" });

    // A copy with another program is a profile of its own. It is removed again.
    await win.at("profile-copy").click();
    await fill({ name: "Hello", command: "sh -c 'echo $GREETING; read -r line'" });
    await win.at("profile").nth(1).waitFor();
    await win.at("settings-close").click();
    await win.at("new-terminal-menu").click();
    await win.at("menu-profile-Hello").click();
    await page.locator('[data-testid="terminal"]').getByText("hello you").first().waitFor();
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await page.getByRole("button", { name: "Remove Hello" }).click();
    await win.at("question-yes").click();
    await page.getByRole("button", { name: "Remove Hello" }).waitFor({ state: "detached" });
    await win.at("settings-close").click();

    const before = await win.at("terminal").evaluateAll((all) => all.map((el) => el.dataset.pane));
    await win.palette("new terminal: shop");
    const opened = await page.waitForFunction((before) => {
      const id = document.activeElement?.closest('[data-testid="terminal"]')?.dataset.pane;
      return before.includes(id) ? undefined : id;
    }, before);
    const at = (id) => page.locator(`[data-testid="terminal"][data-pane="${id}"]`);
    const id = await opened.jsonValue();
    const isDracula = () =>
      page.waitForFunction((id) => {
        const group = document.querySelector(`[data-testid="terminal"][data-pane="${id}"] [role="group"]`);
        return group !== null && getComputedStyle(group).backgroundColor === "rgb(40, 42, 54)";
      }, id);
    await isDracula();
    await at(id).locator(".xterm-rows").getByText(/[#$]/).first().waitFor();
    await win.type(at(id), 'echo "$0|$PWD|$GREETING|$((40+2))"');
    await win.sees(at(id), `/bin/sh|${shop}|hello you|42`);

    // The default profile is that of a terminal that is opened without a choice.
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("profile-edit").click();
    await win.at("profile-default").check();
    await win.at("profile-save").click();
    await win.at("profile").getByText("Default").waitFor();
    await win.at("settings-close").click();
    const second = await win.open("Control+Shift+KeyT");
    await win.type(second, 'echo "$PWD|$GREETING|$((40+3))"');
    await win.sees(second, `${shop}|hello you|43`);
  }),
);

test("a file that a program names with a line opens there in a pane", { timeout: limit(200_000) }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-e2e-files-"));
  try {
    mkdirSync(join(dir, "src"));
    writeFileSync(join(dir, "src", "cart.js"), "one\ntwo\n");
    const open = async (win, { page }) => {
      const terminal = await win.open("Control+Shift+KeyT");
      await win.type(terminal, `cd ${dir}`);
      await win.type(terminal, "echo src/gone.js:1 src/cart.js:2:1 wrong");
      await win.type(terminal, "cd /; echo elsewhere $((4+4))"); // the line was printed in the other folder
      await win.sees(terminal, "elsewhere 8");
      const at = await hoverWord(page, terminal, /^src\/gone/, "src/cart.js");
      await terminal.locator(".xterm-cursor-pointer").waitFor();
      await page.mouse.click(...at);
      const file = page.locator(`[data-testid="file"][data-path="${join(dir, "src", "cart.js")}"]`);
      await file.locator(".cm-activeLine").getByText("two", { exact: true }).waitFor();
      await win.at("pane-title").getByText("cart.js", { exact: true }).waitFor();
    };
    await withWindow(t, open);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("a picture is pasted as the path of a private file", { timeout: limit(200_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const terminal = await win.open("Control+Shift+KeyT");
    const picture = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 30 });
      const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      return blob.size;
    });
    assert.ok(picture > 0);
    const pasted = () => {
      const dir = join(home, "state", "pasted");
      return existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : [];
    };
    const types = async (keys, n) => {
      await terminal.locator(".xterm-screen").click();
      await page.keyboard.type("head -c 4 ");
      await win.press(keys);
      await until("the picture's file", () => pasted().length === n);
      await page.waitForFunction(
        ([id, n]) => {
          const pane = document.querySelector(`[data-testid="terminal"][data-pane="${id}"] .xterm-rows`);
          return pane.textContent.split(".png").length > n;
        },
        [await terminal.getAttribute("data-pane"), n],
      );
      await page.keyboard.type("| od -c\n");
    };
    await types("Control+Shift+KeyV", 1);
    await win.sees(terminal, "211   P   N   G");
    await types("Shift+Insert", 2); // the page's own paste
    await terminal.getByText("211   P   N   G").nth(1).waitFor();
    assert.equal(statSync(pasted()[0]).mode & 0o777, 0o600);
    assert.ok(readFileSync(pasted()[0]).subarray(1, 4).toString() === "PNG");
  }),
);
