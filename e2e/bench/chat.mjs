// The chat panel: the first words of an answer on the screen, a long conversation that is scrolled, and keys in the
// field while a long answer is written.
import { setTimeout } from "node:timers/promises";
import { until } from "../window/window.mjs";
import { row } from "./lib/figures.mjs";
import { counted } from "./drag.mjs";
import { withPage } from "./lib/page.mjs";
import { startTalker } from "./lib/talker.mjs";

const questions = 30;
const messages = 2000;
const runs = 5;
const turns = 120; // of the wheel in one run
const pause = "0.016"; // seconds between two of them
const longAnswer = 200_000; // bytes
const piece = 60; // bytes that arrive at once
const rate = 20_000; // bytes a second, more than any model writes
const line = "thequickbrownfoxjumpsoverthelazydog";
const between = 57; // ms between two keys; not a multiple of the duration of a frame

export async function measure() {
  const talker = await startTalker();
  const rows = [];
  try {
    await withPage(async (page) => {
      const { window } = page;
      await window.call("ModelAPI.Save", { id: "talker", kind: "openai", base_url: talker.url, model: "talker" });
      await window.key("ctrl+shift+a");
      await window.sees("chat-field");
      rows.push(row("first words of an answer on the screen", await firstWords(page, talker), { both: [50, 50] }));
      const keys = await keysWhileAnswering(page, talker);
      rows.push(row("key to the chat's field while 200 KB are answered", keys, { target: 50, tail: true }));
      await openLongChat(page, talker);
      rows.push(...(await scrolling(page)));
      const late = await firstWords(page, talker);
      rows.push(row(`first words on the screen, after ${messages} messages`, late, { both: [50, 50] }));
    });
  } finally {
    talker.close();
  }
  return rows;
}

/** Asks questions, and returns for each the time from the provider's first byte until its word is drawn, in ms. */
async function firstWords(page, talker) {
  const took = [];
  for (let n = 0; n < questions; n++) {
    const word = `first${n}words`;
    let wrote;
    talker.answer = (reply) => {
      wrote = reply.say(word);
      reply.end();
    };
    await page.run(watchWords, word);
    await ask(page, `Question ${n}?`);
    const drawn = await until("the first words", () => page.run(() => window.benchDrawn));
    took.push(drawn - wrote);
    await ended(page);
  }
  return took;
}

/** Runs in the page: notes when a word was drawn in an answer. */
function watchWords(word) {
  window.benchDrawn = 0;
  const list = document.querySelector('[data-testid="chat-panel"]');
  const observer = new MutationObserver(() => {
    const answers = list.querySelectorAll('[data-testid="chat-words"]');
    if (!answers[answers.length - 1]?.textContent.includes(word)) return;
    observer.disconnect();
    // A timer that is set in a frame ends after the frame was drawn.
    requestAnimationFrame(() => setTimeout(() => (window.benchDrawn = Date.now())));
  });
  observer.observe(list, { childList: true, subtree: true, characterData: true });
}

/** Asks something in the field of the chat, with real keys. */
async function ask(page, text) {
  await page.window.click("chat-field");
  await page.window.type(text);
  await page.window.key("Return");
}

const ended = (page) =>
  until("the end of the answer", () =>
    page.run(() => {
      const all = document.querySelectorAll('[data-testid="chat-message"]');
      return all[all.length - 1]?.dataset.state === "done";
    }),
  );

/** Types while a long answer is written, and returns the time of each key until its letter is drawn, in ms. */
async function keysWhileAnswering(page, talker) {
  let isWritten = false;
  talker.answer = async (reply) => {
    const text = markdown(longAnswer);
    const began = Date.now();
    for (let at = 0; at < text.length; at += piece) {
      reply.say(text.slice(at, at + piece));
      const early = began + (1000 * at) / rate - Date.now();
      if (early > 1) await setTimeout(early);
    }
    isWritten = true;
    reply.end();
  };
  await ask(page, "Write much.");
  await page.window.sees("chat-stop");
  await page.run(watchField);
  // Only keys that are typed while the answer is written count.
  let count = 0;
  while (!isWritten) {
    await page.window.xdotool("type", "--delay", String(between), line);
    if (!isWritten) count = await until("the line in the field", () => page.run(shownIn, line.length));
    await page.window.key("ctrl+a", "BackSpace");
  }
  await ended(page);
  return (await page.run(() => window.benchKeys.stop())).slice(0, count);
}

/** Runs in the page: notes when the letter of each key was drawn in the field. */
function watchField() {
  const field = document.querySelector('[data-testid="chat-field"]');
  const took = [];
  const onKey = (e) => {
    if (e.ctrlKey || e.key.length !== 1) return;
    requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - e.timeStamp)));
  };
  field.addEventListener("keydown", onKey);
  window.benchKeys = {
    took,
    stop() {
      field.removeEventListener("keydown", onKey);
      return took;
    },
  };
}

/** Runs in the page: returns how many keys were drawn if the field has a whole line. */
function shownIn(length) {
  const field = document.querySelector('[data-testid="chat-field"]');
  return field.value.length === length && window.benchKeys.took.length;
}

/** Text as models write it: headings, paragraphs, lists, tables and code, of a length. */
function markdown(length) {
  const parts = [];
  for (let n = 0, size = 0; size < length; n++) {
    parts.push(
      `## Part ${n}\n\nThe **total** drops twice, because \`apply\` runs in *both* branches; see [the guide](https://docs.example/${n}).\n\n`,
      `- first, the coupon is read\n- then it is applied, ${n} times\n  - and once more\n\n`,
      `| step | total |\n|---|--:|\n| ${n} | ${n * 31} |\n| ${n + 1} | ${n * 17} |\n\n`,
      `\`\`\`go\n${`func total${n}(c Cart) int { return c.sum - c.coupon }\n`.repeat(n % 40)}\`\`\`\n\n`,
    );
    size = parts.reduce((sum, part) => sum + part.length, 0);
  }
  return parts.join("").slice(0, length);
}

/** Fills a chat with messages, and opens it in the panel. */
async function openLongChat(page, talker) {
  let n = 0;
  talker.answer = (reply) => {
    reply.say(markdown(200 + ((n++ * 37) % 300)));
    reply.end();
  };
  const { chats } = await page.window.call("ChatAPI.List", { limit: 1 });
  const { id } = await page.window.call("ChatAPI.New", { workspace: chats[0].workspace });
  const batch = 50;
  for (let sent = 0; sent < messages / 2; sent += batch) await page.run(fill, id, batch, sent);
  await page.window.click("chat-title");
  await until("the long chat in the list", () =>
    page.run((id) => document.querySelector(`[data-chat="${id}"] [data-testid="chat-line-open"]`) !== null, id),
  );
  await page.run((id) => document.querySelector(`[data-chat="${id}"] [data-testid="chat-line-open"]`).click(), id);
  await until("the end of the long chat", () =>
    page.run(() => document.querySelector('[data-testid="chat-messages"]')?.scrollHeight > 100_000),
  );
}

/** Runs in the page: sends questions one after the other. A chat that answers refuses the next one. */
async function fill(id, count, from) {
  const call = (method, ...args) => window.go.main.Host.Call(method, JSON.stringify(args));
  for (let n = 0; n < count; n++) {
    const question = { chat_id: id, text: `Question ${from + n}: why does the total drop?`, attachments: [] };
    for (;;) {
      try {
        await call("ChatAPI.Send", question);
        break;
      } catch (error) {
        if (!JSON.stringify(error).includes("conflict") && !String(error.message).includes("answering")) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }
  }
}

/** Turns the wheel of the real mouse over the long chat, up and down. */
async function scrolling(page) {
  const rates = { still: [], wheel: [] };
  const [x, y] = await page.run(() => {
    const box = document.querySelector('[data-testid="chat-messages"]').getBoundingClientRect();
    return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  });
  await page.window.xdotool("mousemove", "--window", page.window.id, String(x), String(y));
  for (let n = 0; n < runs; n++) {
    rates.still.push(await counted(page, () => page.window.xdotool("sleep", String(turns * Number(pause)))));
    const from = await scrolledTo(page);
    const button = n % 2 === 0 ? "4" : "5"; // up, down
    const all = Array.from({ length: turns }, () => ["click", button, "sleep", pause]).flat();
    rates.wheel.push(await counted(page, () => page.window.xdotool(...all)));
    if (Math.abs((await scrolledTo(page)) - from) < 1000) throw new Error("the wheel did not scroll the chat");
  }
  const unit = "1/s";
  return [
    row(`frames a second, a chat of ${messages} messages that nobody touches`, rates.still, { unit }),
    row("– while it is scrolled with the wheel", rates.wheel, { unit, target: 55, atLeast: true }),
  ];
}

const scrolledTo = (page) => page.run(() => document.querySelector('[data-testid="chat-messages"]').scrollTop);
