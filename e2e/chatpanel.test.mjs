// How the chat panel behaves with much in it: on the fake bridge of the gallery, in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedChromium } from "./lib/app.mjs";
import { serveGallery, showScene } from "./lib/gallery.mjs";
import { limit } from "./lib/limits.mjs";

async function withScene(scene, run) {
  const gallery = await serveGallery({});
  const browser = await sharedChromium();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(limit(60_000));
  try {
    await showScene(page, gallery.url, scene);
    await run(page, (id) => page.getByTestId(id));
  } finally {
    await page.close();
    gallery.close();
  }
}

/** Begins an answer in the shown chat, and returns nothing. */
const send = async (at, text) => {
  await at("chat-field").fill(text);
  await at("chat-send").click();
  await at("chat-stop").waitFor();
};

/** Streams a piece of the answer, in the page. */
function stream({ text, offset }) {
  const { app, bridge } = window.gallery;
  const message = app.state.chat.messages.at(-1).id;
  const chat_id = app.state.chat.id;
  bridge.chats.say({ type: "chat_delta", chat_id, message, part: 0, offset, text, reasoning: "" });
}

const isAtEnd = (el) => el.scrollHeight - el.scrollTop - el.clientHeight < 4;

test("an answer is followed until the user scrolls up", { timeout: limit(180_000) }, async () => {
  await withScene("chat", async (page, at) => {
    const list = at("chat-messages");
    await send(at, "Write much.");
    let offset = 0;
    const write = async () => {
      const text = "Some words of an answer that goes on.\n\n".repeat(10);
      await page.evaluate(stream, { text, offset });
      offset += text.length;
      await page.waitForFunction(
        (n) => window.gallery.app.state.chat.messages.at(-1).parts[0]?.text.length === n,
        offset,
      );
      await page.evaluate(() => window.gallery.still());
    };
    for (let i = 0; i < 4; i++) await write();
    assert.ok(await list.evaluate(isAtEnd), "the newest words are out of sight");
    await list.hover();
    await page.mouse.wheel(0, -600);
    await at("chat-newest").waitFor();
    const before = await list.evaluate((el) => el.scrollTop);
    await write();
    assert.equal(await list.evaluate((el) => el.scrollTop), before, "the text moved under the reader");
    await at("chat-newest").click();
    await at("chat-newest").waitFor({ state: "detached" });
    await write();
    assert.ok(await list.evaluate(isAtEnd));
  });
});

test("the field is as high as its text, up to a limit", { timeout: limit(180_000) }, async () => {
  await withScene("chat", async (page, at) => {
    const field = at("chat-field");
    const heightOf = async (text) => {
      await field.fill(text);
      await page.evaluate(() => window.gallery.still());
      return field.evaluate((el) => el.offsetHeight);
    };
    const one = await heightOf("one line");
    const three = await heightOf("a\nb\n");
    const wrapped = await heightOf("words ".repeat(60));
    assert.ok(three > 2 * one - 20 && wrapped > three, `${one}, ${three}, ${wrapped}`);
    assert.equal(await heightOf("line\n".repeat(40)), 200);
    assert.ok(await field.evaluate((el) => el.scrollHeight > el.clientHeight), "the rest cannot be scrolled to");
    assert.equal(await heightOf(""), one);
  });
});
