// Key echo: from a real key's event in the page to its character in the rows that
// xterm draws, which are painted in the same frame.
import { until } from "../window/window.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";

const line = "thequickbrownfoxjumpsoverthelazydogandrunsaroundit"; // 50 keys
const lines = 4;
const between = 57; // ms between two keys; not a multiple of the duration of a frame
const others = 15;
const flood =
  'while :; do for c in 31 32 33 34 35 36; do echo -e "\\e[${c}mflood of colour $c $RANDOM\\e[0m and so on"; done; done\r';

export async function measure() {
  const rows = [];
  await withPage(async (page) => {
    const id = await page.openTerminal();
    rows.push(row("key echo, bash", await echo(page, id), { target: 20, tail: true }));
    await page.type(id, "cat\r");
    rows.push(row("key echo, cat", await echo(page, id), { target: 20, tail: true }));
    const other = await page.splitTerminal();
    await page.type(other, flood);
    rows.push(row("key echo, cat, another pane floods", await echo(page, id)));
    for (const pane of await spread(page, [other], others - 1)) await page.type(pane, flood);
    rows.push(row(`key echo, cat, ${others} other panes flood`, await echo(page, id), { target: 60, tail: true }));
  });
  return rows;
}

/** Splits panes in turn until `more` new ones are there, so that all of them are visible. */
async function spread(page, panes, more) {
  const opened = [];
  while (opened.length < more) {
    for (const pane of [...panes, ...opened].slice(0, more - opened.length)) {
      await page.focus(pane);
      opened.push(await page.splitTerminal());
    }
  }
  return opened;
}

/** Types with real keys, and returns the time of each key in ms. */
export async function echo(page, id) {
  await page.focus(id);
  await page.run(watch, id);
  for (let i = 0; i < lines; i++) {
    await page.window.xdotool("type", "--delay", String(between), line);
    await until("the echo of the line", () => page.run(() => window.echoes.pending.length === 0));
    await page.window.key("ctrl+u");
  }
  const took = await page.run(() => window.echoes.stop());
  if (took.length !== line.length * lines) throw new Error(`${took.length} of ${line.length * lines} keys were seen`);
  return took;
}

/** Runs in the page: records keys, and looks for the typed text before the cursor whenever xterm draws. */
function watch(id) {
  const rows = document.querySelector(`[data-pane="${id}"] .xterm-rows`);
  let typed = "";
  const took = [];
  const pending = [];
  const onKey = (e) => {
    if (e.ctrlKey) typed = "";
    else if (e.key.length === 1) {
      typed += e.key;
      pending.push({ typed, at: performance.now() });
    }
  };
  const shown = () => {
    let text = "";
    for (let e = rows.querySelector(".xterm-cursor")?.previousSibling; e; e = e.previousSibling)
      text = e.textContent + text;
    return text;
  };
  const observer = new MutationObserver(() => {
    const now = performance.now();
    const text = shown();
    const last = pending.findLastIndex((p) => text.endsWith(p.typed));
    for (const p of pending.splice(0, last + 1)) took.push(now - p.at);
  });
  window.addEventListener("keydown", onKey, true);
  observer.observe(rows, { childList: true, subtree: true, characterData: true });
  window.echoes = {
    pending,
    stop() {
      window.removeEventListener("keydown", onKey, true);
      observer.disconnect();
      return took;
    },
  };
}
