// Every key of docs/guide/keyboard.md, pressed against the real program: the keys of the table in both ways, those of
// terminals and pages by name. The test fails for a row without a proof here, and for a proof without a row.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const guide = readFileSync(new URL("../docs/guide/keyboard.md", import.meta.url), "utf8");

const arrows = {
  "←": "ArrowLeft",
  "→": "ArrowRight",
  "↑": "ArrowUp",
  "↓": "ArrowDown",
};
const others = { "+": "Equal", "-": "Minus", ...arrows };

/** Converts a key of the page to Playwright's name: Ctrl+Shift+↑ is Control+Shift+ArrowUp. */
function pressed(label) {
  const [, modifiers, last] = /^((?:(?:Ctrl|Shift|Alt)\+)*)(.+)$/.exec(label);
  const code = others[last] ?? (/^[A-Z]$/.test(last) ? `Key${last}` : /^\d$/.test(last) ? `Digit${last}` : last);
  return modifiers.replace("Ctrl", "Control") + code;
}

/** The rows of the table: what the key does, and how it is pressed. */
const rows = [...guide.matchAll(/^\| (\w+) \| ([^|]+) \|([^|]*)\|([^|]*)\|$/gm)].map(([, , title, keys, leader]) => ({
  title: title.trim(),
  ways: [...keys.split(",").map((k) => [k.trim()]), ["Ctrl+Shift+Space", leader.trim()]].filter((way) => way.at(-1)),
}));

/** Returns the keys that a paragraph of the page names. */
function keysOf(paragraph) {
  const [text] = new RegExp(`\\*\\*${paragraph}[^]*?(\n\n|$)`).exec(guide);
  return [...new Set(text.match(/(?:(?:Ctrl|Shift|Alt)\+)+(?:\+|-|\w+|[←→↑↓])|\bF\d+\b|\b\d(?= [A-Z])/g))];
}

test("every key of the page about the keyboard does what the page says", { timeout: limit(600_000) }, async (t) => {
  assert.ok(rows.length > 20, "the page has no table");
  let finish;
  const finished = new Promise((done) => (finish = done));
  const claim = {
    tool: "claim_complete",
    args: { rationale: "it is there" },
  };
  const model = await startModel([
    { tool: "write_file", args: { path: "a.txt", content: "one\n" } },
    claim,
    // Later goals have a terminal, and run until the test ends.
    ({ messages }) =>
      messages.some((m) => m.role === "tool")
        ? { ...claim, wait: finished }
        : { tool: "terminal_open", args: { title: "its own" } },
  ]);
  try {
    await withApp(t, ({ page, home, said }) => walk(page, home, model, said));
  } finally {
    finish();
    model.close();
  }
});

async function walk(page, home, model, said) {
  const win = new WindowPage(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await addProvider(page, model);
  mkdirSync(join(home, "work"));
  await startGoal(page, {
    objective: "write a note",
    dir: join(home, "work"),
    command: "test -s a.txt",
  });
  await page.locator('[data-testid="goal-header"][data-status="completed"]').waitFor();
  await win.at("rail-workspace").click();
  await win.press("Ctrl+Shift+T");
  await win.panes(1);
  await win.focusTerminal();

  // The shell still gets its own keys: Ctrl+W deletes a word, Ctrl+C ends the running program.
  const terminal = win.at("terminal").first();
  await page.keyboard.type("echo kept dropped");
  await win.press("Ctrl+W");
  await page.keyboard.type("word\n");
  await terminal.getByText("kept word", { exact: true }).first().waitFor();
  // The program prints a word when it has the terminal: an earlier Ctrl+C would reach the shell.
  await page.keyboard.type("sh -c 'echo asleep $((4+4)); exec sleep 100'\n");
  await terminal.getByText("asleep 8").first().waitFor();
  await win.press("Ctrl+C");
  await terminal.getByText("^C").first().waitFor();
  await page.keyboard.type("echo back $((1+1))\n");
  await terminal.getByText("back 2").first().waitFor();

  await withSite(async (site) => {
    const goal = join(home, "work");
    const proofs = {
      ...tableProofs(win),
      ...tabProofs(win, site),
      ...workspaceProofs(win),
      ...goalTabProofs(win, goal),
    };
    assert.deepEqual(Object.keys(proofs).sort(), rows.map((row) => row.title).sort(), "each row has its proof");
    for (const { title, ways } of rows) {
      assert.ok(ways.length > 0, `${title} has no key`);
      for (const way of ways) {
        await it(`${title}: ${way.join(", ")}`, async () => {
          await win.focusTerminal();
          await proofs[title](async () => {
            for (const key of way) await win.press(key);
          }, way);
          await win.at("workspace").waitFor();
        });
      }
    }
    await showsTabs(win);
    await paragraph("In terminals", terminalProofs(win));
    site.asked.length = 0;
    await win.openPage(site);
    await paragraph("In browser panes", pageProofs(win, site));
  });
  assert.deepEqual(complaints(said), [], "the page reported errors");
}

/** Names the key whose proof fails. GOALPOST_CASE=words runs only the cases that have these words in their name. */
async function it(name, prove) {
  if (!name.includes(process.env.GOALPOST_CASE ?? "")) return;
  try {
    await prove();
  } catch (error) {
    throw new Error(`${name}: ${error.stack}`, { cause: error });
  }
}

/**
 * Presses the keys of a paragraph in the order of their proofs, because some proofs need the result of earlier ones.
 */
async function paragraph(name, proofs) {
  assert.deepEqual(Object.keys(proofs).sort(), keysOf(name).sort(), `each key of "${name}" has its proof`);
  for (const [key, prove] of Object.entries(proofs)) await it(`${name}: ${key}`, () => prove(key));
}

/**
 * In an open goal, digits show its tabs. In a plot, arrow keys move the cursor. The workspace is shown again after it.
 */
async function showsTabs(win) {
  await win.at("rail-goals").click();
  await win.at("goal-card").filter({ hasText: "write a note" }).first().click(); // has had several turns
  const shows = (tab) => async (key) => {
    await win.press(key);
    await win.page.locator(`[data-testid="story-${tab}"][aria-pressed="true"]`).waitFor();
  };
  await paragraph("In an open goal", {
    2: shows("changes"),
    3: shows("checks"),
    4: shows("replay"),
    5: shows("transcript"),
    1: shows("log"),
    6: async (key) => {
      await shows("plots")(key);
      const value = win.at("plot-spend-drawn-value");
      await win.at("plot-spend-drawn").focus();
      await win.press("←");
      await value.getByText("Running time").waitFor();
      const last = await value.innerText();
      for (const [code, isLast] of [
        ["Home", false],
        ["End", true],
        ["←", false],
        ["→", true],
      ]) {
        await win.press(code);
        assert.equal((await value.innerText()) === last, isLast, code);
      }
    },
  });
  await win.at("rail-workspace").click();
}

/** Serves two pages, of which the first links to the second, and counts the requests for them. */
async function withSite(use) {
  const asked = [];
  const server = createServer((request, response) => {
    if (request.url !== "/favicon.ico") asked.push(request.url);
    response.setHeader("content-type", "text/html");
    response.end(`<title>page ${request.url}</title><h1>Hello</h1>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use({ url: `http://127.0.0.1:${server.address().port}`, asked });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

class WindowPage {
  constructor(page) {
    this.page = page;
  }

  at(id) {
    return this.page.getByTestId(id);
  }

  press(label) {
    return this.page.keyboard.press(pressed(label));
  }

  panes(n) {
    return this.page.waitForFunction((n) => document.querySelectorAll('[data-testid="pane"]').length === n, n);
  }

  /** Returns the number of panes. */
  count() {
    return this.at("pane").count();
  }

  async gone(id) {
    await this.at(id).first().waitFor({ state: "detached" });
  }

  /** Escape closes what the key has opened. */
  async closes(id) {
    await this.at(id).first().waitFor();
    await this.press("Escape");
    await this.gone(id);
  }

  /** Moves the focus to the first terminal in the workspace. */
  async focusTerminal() {
    if (!(await this.at("workspace").isVisible())) await this.at("rail-workspace").click();
    await this.at("terminal").first().locator(".xterm-screen").click();
    await this.page.waitForFunction(() => document.activeElement?.closest(".xterm"));
  }

  /** Runs a command of the palette. */
  async command(words) {
    await this.press("Ctrl+Shift+P");
    await this.at("palette-input").fill(words);
    await this.press("Enter");
    await this.gone("palette");
  }

  /** Closes the pane with the focus, and waits until it is gone. */
  async closePane() {
    const before = await this.count();
    await this.command("Close the pane");
    const sure = this.at("question-yes"); // asked only while a program runs
    await Promise.race([this.panes(before - 1), sure.waitFor()]);
    if (await sure.isVisible()) await sure.click();
    await this.panes(before - 1);
  }

  focusedPane() {
    return this.page
      .waitForFunction(() => document.activeElement?.closest('[data-testid="pane"]')?.dataset.pane)
      .then((handle) => handle.jsonValue());
  }

  focusLeaves(pane) {
    return this.page.waitForFunction((old) => {
      const now = document.activeElement?.closest('[data-testid="pane"]')?.dataset.pane;
      return now && now !== old;
    }, pane);
  }

  focusComesTo(pane) {
    return this.page.waitForFunction(
      (id) => document.activeElement?.closest('[data-testid="pane"]')?.dataset.pane === id,
      pane,
    );
  }

  async openPage(site) {
    await this.press("Ctrl+Shift+B");
    await this.at("browser").first().waitFor();
    for (const path of ["/one", "/two"]) await this.visit(`${site.url}${path}`);
  }

  async visit(url) {
    await this.at("browser-address").first().fill(url);
    await this.at("browser-address").first().press("Enter");
    await this.shows(url);
    await this.at("browser-keys").first().focus();
  }

  async shows(url) {
    await this.page.locator(`[data-testid="browser"][data-url="${url}"]`).first().waitFor();
  }
}

/**
 * The proof of each row of the table, by the row's title. Each proof begins in a terminal and restores the workspace.
 */
function tableProofs(win) {
  const { page } = win;
  const at = (id) => win.at(id);
  const broadcast = () => at("pane-broadcast").first();
  /** Waits until the first visible line of the terminal contains these words. */
  const topHas = (words) =>
    page.waitForFunction((text) => document.querySelector(".xterm-rows > div")?.textContent?.includes(text), words);
  /** Waits for the prompt below the last line with just these words. */
  const promptBelow = (words) =>
    page.waitForFunction((text) => {
      const lines = [...document.querySelectorAll(".xterm-rows > div")].map((row) => row.textContent.trim());
      return (lines[lines.lastIndexOf(text) + 1] ?? "") !== "" && lines.includes(text);
    }, words);
  let counts = 0;
  /** Runs a long command that differs from those before it, and waits for the prompt after it. Returns its end. */
  const countInTerminal = async () => {
    const n = 100 + counts++;
    const command = `echo counted $((${n}*7))`;
    await page.keyboard.type(`seq 200; ${command}\n`);
    await promptBelow(`counted ${n * 7}`);
    return command;
  };
  const opens = (id) => async (go) => {
    await go();
    await win.closes(id);
  };
  /**
   * Opens a second pane beside or below the first, with the focus; `go` moves the focus to the first, `back` to the
   * second.
   */
  const moves = (split, from) => async (go) => {
    const first = await win.focusedPane();
    await win.command(split);
    await win.panes(2);
    await win.focusLeaves(first);
    const second = await win.focusedPane();
    const [start, end] = from === "second" ? [second, first] : [first, second];
    if (from === "first") {
      await win.focusTerminal();
      await win.focusComesTo(start);
    }
    await go();
    await win.focusComesTo(end);
    await page.locator(`[data-testid="pane"][data-pane="${second}"] .xterm-screen`).click();
    await win.focusComesTo(second);
    await win.closePane();
  };
  const opensPane = async (go) => {
    const before = await win.count();
    await go();
    await win.panes(before + 1);
    await win.closePane();
  };
  /** Closes the page only when it is drawn: what closes while Chromium starts is reported. */
  const opensPage = async (go) => {
    const before = await win.count();
    await go();
    await win.panes(before + 1);
    await page.locator('[data-testid="browser-canvas"][data-drawn]').waitFor();
    await win.closePane();
  };
  return {
    Commands: opens("palette"),
    "Show the workspace": async (go) => {
      await at("rail-goals").click();
      await at("dashboard").waitFor();
      await go();
      await win.gone("dashboard");
    },
    Settings: async (go) => {
      await go();
      await at("settings").waitFor();
      await at("settings-close").click();
    },
    Help: async (go, way) => {
      // In a terminal, F1 belongs to the program. After the leader, the key works there, too.
      if (way[0] === "F1") await at("rail-goals").click();
      await opens("help")(go);
      await at("rail-workspace").click();
    },
    "Toggle goals": async (go) => {
      await go();
      await at("new-goal").waitFor();
      await at("dashboard").waitFor();
      await go();
      await win.gone("dashboard");
      await win.gone("new-goal");
    },
    "New goal": opens("new-goal"),
    "Show all goals": async (go) => {
      await go();
      await at("dashboard").waitFor();
      await at("dashboard-close").click();
    },
    Approvals: opens("approvals"),
    Chat: async (go) => {
      await go();
      await at("chat-panel").waitFor();
      await page.locator('[data-testid="chat-field"]:focus').waitFor();
      await go();
      await win.gone("chat-panel");
    },
    "Show or hide the goal in the side panel": async (go) => {
      assert.equal(await at("goal-drawer").count(), 0, "the goal takes a part of the user's panes unasked");
      await go();
      await at("goal-drawer").waitFor();
      await go();
      await win.gone("goal-drawer");
    },
    "New terminal": opensPane,
    "SSH connections": opens("servers"),
    "New browser": opensPage,
    "Broadcast input to this and other selected terminals": async (go) => {
      await go();
      await broadcast().waitFor();
      await go();
      await broadcast().waitFor({ state: "detached" });
    },
    "Broadcast to visible terminals, or end it": async (go) => {
      await go();
      await broadcast().waitFor();
      await go();
      await broadcast().waitFor({ state: "detached" });
    },
    "End the broadcast": async (go) => {
      await win.command("Broadcast to visible terminals");
      await broadcast().waitFor();
      await go();
      await broadcast().waitFor({ state: "detached" });
    },
    "Make the failed command pass": async (go) => {
      const n = 100 + counts++;
      const command = `sh -c 'echo broken $((${n}*7)); exit 3'`;
      await page.keyboard.type(`${command}\n`);
      await promptBelow(`broken ${n * 7}`);
      await go();
      await at("new-goal").waitFor();
      await page.waitForFunction(
        (text) => document.querySelector("[data-testid=check-command]")?.value === text,
        command,
      );
      await win.closes("new-goal");
    },
    "Previous command": async (go) => {
      const command = await countInTerminal();
      await go();
      await topHas(command);
    },
    "Next command": async (go) => {
      const command = await countInTerminal();
      await win.command("Previous command");
      await topHas(command);
      await go();
      await page.waitForFunction(
        (text) => !document.querySelector(".xterm-rows > div")?.textContent?.includes(text),
        command,
      );
    },
    "Search in the terminal": opens("terminal-search"),
    "Rename the terminal": opens("pane-rename"),
    "Close the pane": async (go) => {
      const before = await win.count();
      await win.press("Ctrl+Shift+B");
      await win.panes(before + 1);
      await go();
      await win.panes(before);
    },
    "Split the pane": opensPane,
    "Zoom the pane": async (go) => {
      const first = await win.focusedPane();
      await win.command("Split the pane to the right");
      await win.panes(2);
      await win.focusLeaves(first);
      await go();
      await page.getByText("show all panes").waitFor();
      await go();
      await page.getByText("show all panes").waitFor({ state: "detached" });
      await win.closePane();
    },
    "Go to the pane on the left": moves("Split the pane to the right", "second"),
    "Go to the pane on the right": moves("Split the pane to the right", "first"),
    "Go to the pane above": moves("Split the pane downwards", "second"),
    "Go to the pane below": moves("Split the pane downwards", "first"),
  };
}

/** The keys of tabs. Each proof begins in a terminal, opens two pages as tabs of one pane, and closes them. */
function tabProofs(win, site) {
  const visible = (id) => win.page.locator(`[data-testid="${id}"]:visible`);
  const tabs = (n) =>
    win.page.waitForFunction((n) => document.querySelectorAll('[data-testid="pane-tab"]').length === n, n);
  const visit = async (path) => {
    await visible("browser-address").fill(site.url + path);
    await visible("browser-address").press("Enter");
    await win.page.locator(`[data-testid="browser"][data-url="${site.url}${path}"]:visible`).waitFor();
    await visible("browser-keys").focus();
  };
  const close = async (left) => {
    await win.command("Close the pane");
    await tabs(left);
  };
  /** `prove` begins in the page /two, which was opened by its key beside /one. */
  const withTabs = (prove) => async (go) => {
    const before = await win.at("pane-tab").count();
    await win.press("Ctrl+Shift+B");
    await tabs(before + 1);
    await visit("/one");
    await win.press("Ctrl+T");
    await tabs(before + 2);
    await visit("/two");
    await prove(go, before);
    await visible("browser-keys").focus();
    await close(before + 1);
    await visible("browser-keys").focus();
    await close(before);
  };
  const shows = (path) => win.page.locator(`[data-testid="browser"][data-url="${site.url}${path}"]:visible`).waitFor();
  return {
    "New tab in the browser pane": withTabs(async (go, before) => {
      await go();
      await tabs(before + 3);
      await visible("browser-address").and(win.page.locator(":focus")).waitFor();
      await close(before + 2);
    }),
    "Reopen the closed page": withTabs(async (go, before) => {
      await close(before + 1);
      await shows("/one");
      await visible("browser-keys").focus();
      await go();
      await tabs(before + 2);
      await shows("/two");
    }),
    "Next tab of the pane": withTabs(async (go) => {
      await go();
      await shows("/one");
    }),
    "Previous tab of the browser pane": withTabs(async (go) => {
      await go();
      await shows("/one");
    }),
  };
}

/** Runs something once, however often it is asked for. */
function firstTime(run) {
  let running;
  return () => (running ??= run());
}

/** The keys of the workspaces, of which there are as many as have a key. Each proof begins and ends in the first. */
function workspaceProofs(win) {
  const tabs = win.at("workspace-tab");
  const most = 9;
  const isShown = (n) => tabs.nth(n).and(win.page.locator('[aria-selected="true"]')).waitFor();
  const show = async (n) => {
    await tabs.nth(n).click();
    await isShown(n);
    await win.focusTerminal();
  };
  const makeAll = firstTime(async () => {
    for (let n = await tabs.count(); n < most; n++) {
      await win.at("new-workspace").click();
      await win.at("field-workspace-name").fill(`number ${n + 1}`);
      await win.press("Ctrl+Enter");
      await win.gone("new-workspace-dialog");
      await isShown(n);
    }
  });
  /** The key leads from one workspace to another. */
  const leads = (from, to) => async (go) => {
    await makeAll();
    await show(from);
    await go();
    await isShown(to);
    await show(0);
  };
  const numbers = Array.from({ length: most }, (_, n) => [`Workspace ${n + 1}`, leads((n + 1) % most, n)]);
  return {
    "Next workspace": leads(0, 1),
    "Previous workspace": leads(0, most - 1),
    ...Object.fromEntries(numbers),
  };
}

/** The keys of a workspace's tabs: the user's panes, and two running goals. Each proof begins and ends in the first. */
function goalTabProofs(win, dir) {
  const at = (id) => win.at(id);
  const isShown = (tab) => tab.and(win.page.locator('[aria-selected="true"]')).waitFor();
  const own = at("own-tab");
  const goal = (n) => at("goal-tab").filter({ hasText: `keep running ${n}` });
  const startGoals = firstTime(async () => {
    for (const n of [1, 2]) {
      await startGoal(win.page, {
        objective: `keep running ${n}`,
        dir,
        command: "test -s b.txt",
      });
    }
    await at("rail-workspace").click();
    for (const n of [1, 2]) await goal(n).waitFor();
    await own.click();
    await win.focusTerminal();
  });
  /** The key leads from the user's panes to a goal. */
  const leads = (n) => async (go) => {
    await startGoals();
    await go();
    await isShown(goal(n));
    await own.click();
    await isShown(own);
  };
  return {
    "Next tab: my panes, or a goal": leads(1),
    "Previous tab: my panes, or a goal": leads(2),
    "Show the goal's pane beside my panes, or put it back": async (go) => {
      await startGoals();
      const before = await win.count();
      await goal(1).click();
      await isShown(goal(1));
      await win.panes(1);
      await win.focusTerminal();
      await go();
      await isShown(own);
      await win.panes(before + 1);
      await go();
      await isShown(goal(1));
      await win.panes(1);
      await own.click();
      await win.panes(before);
    },
  };
}

function terminalProofs(win) {
  const terminal = win.at("terminal").first();
  return {
    "Ctrl+Shift+C": async (key) => {
      await win.focusTerminal();
      await win.page.keyboard.type("clear; echo copied$((6*7))word\n");
      const word = terminal.locator(".xterm-rows").getByText("copied42word", { exact: true });
      await word.dblclick({ force: true });
      await win.press(key);
      await win.page.waitForFunction(() => navigator.clipboard.readText().then((text) => text === "copied42word"));
    },
    "Ctrl+Shift+V": async (key) => {
      await win.page.evaluate(() => navigator.clipboard.writeText("echo pasted $((8+1))"));
      await win.press(key);
      await terminal.getByText("echo pasted $((8+1))").first().waitFor();
      await win.press("Enter");
      await terminal.getByText("pasted 9").first().waitFor();
    },
  };
}

/** Needs a page that can go back, in a pane with the focus. */
function pageProofs(win, site) {
  const { page } = win;
  const at = (id) => win.at(id).first();
  const zoom = () => page.locator("[data-testid=browser-canvas]").first().getAttribute("data-zoom").then(Number);
  const zooms = (fits) => page.waitForFunction(fits, null);
  const enabled = (id) => page.locator(`[data-testid="${id}"]:enabled`).first().waitFor();
  const reloads = async (key) => {
    const before = site.asked.length;
    const deadline = Date.now() + limit(60_000);
    await win.press(key);
    while (site.asked.length === before) {
      assert.ok(Date.now() < deadline, `${key} asks for nothing`);
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    }
    await at("browser-reload").waitFor(); // while the page loads, there is a stop button instead
  };
  const tools = async (key) => {
    const before = await win.count();
    await at("browser-keys").focus();
    await win.press(key);
    await win.panes(before + 1);
    const pane = page.locator('[data-testid="browser"][data-url^="devtools://"]');
    const id = await pane.getAttribute("data-pane");
    await page.locator(`button[data-testid="pane-close"][data-pane="${id}"]`).click();
    await win.panes(before);
  };
  return {
    "Alt+←": async (key) => {
      await enabled("browser-back");
      await win.press(key);
      await win.shows(`${site.url}/one`);
    },
    "Alt+→": async (key) => {
      await enabled("browser-forward"); // the pane gets its history after its address
      await win.press(key);
      await win.shows(`${site.url}/two`);
    },
    "Ctrl+R": reloads,
    F5: reloads,
    "Ctrl+L": async (key) => {
      await win.press(key);
      await page.waitForFunction(() => document.activeElement?.matches("[data-testid=browser-address]"));
      await at("browser-keys").focus();
    },
    "Ctrl+F": async (key) => {
      await win.press(key);
      await win.closes("find-input");
      await at("browser-keys").focus();
    },
    "Ctrl++": async (key) => {
      assert.equal(await zoom(), 100);
      await win.press(key);
      await zooms(() => Number(document.querySelector("[data-testid=browser-canvas]").dataset.zoom) > 100);
    },
    "Ctrl+-": async (key) => {
      await win.press(key);
      await zooms(() => document.querySelector("[data-testid=browser-canvas]").dataset.zoom === "100");
      await win.press(key);
      await zooms(() => Number(document.querySelector("[data-testid=browser-canvas]").dataset.zoom) < 100);
    },
    "Ctrl+0": async (key) => {
      await win.press(key);
      await zooms(() => document.querySelector("[data-testid=browser-canvas]").dataset.zoom === "100");
    },
    "Ctrl+P": async (key) => {
      await win.press(key);
      await page.getByText(".pdf").first().waitFor();
    },
    F12: tools,
    "Ctrl+Shift+I": tools,
    "Alt+Home": async (key) => {
      await at("browser-keys").focus();
      await win.press(key);
      await page.waitForFunction(
        (url) => document.querySelector("[data-testid=browser]")?.dataset.url !== url,
        `${site.url}/two`,
      );
    },
  };
}
