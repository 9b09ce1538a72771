import { Profiler } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { act } from "@/testing/act";
import { FakeBridge } from "@/bridge/fake/bridge";
import { cartChat } from "@/bridge/fake/chats";
import type { Problem } from "@/bridge/types";
import { attachment } from "@/store/chatactions";
import { all, find, get, mount, nth, press, until, write } from "@/testing/mount";
import { Head } from "./head";
import { ChatPanel } from "./panel";

beforeEach(() => {
  localStorage.clear();
  // The test's document has no layout, so the list would be empty.
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(100);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(468);
});

const key = (el: HTMLElement, code: string, more: KeyboardEventInit = {}) =>
  act(() => void el.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true, ...more })));

async function draw(chat = "", bridge = new FakeBridge()) {
  return mount(<ChatPanel />, bridge, async (app) => {
    await app.start();
    await app.providers.load();
    await vi.waitFor(() => expect(app.state.panes.loaded).toBe(true));
    app.chat.show(chat);
  });
}

/** The arguments of the newest call of a method. */
const sent = (bridge: FakeBridge, method: string) => bridge.calls.filter((c) => c.method === method).at(-1)?.args;

test("Enter sends, Shift+Enter does not, and the answer streams in", async () => {
  const { bridge, app } = await draw();
  const field = get("chat-field");
  write(field, "Why does it fail?");
  key(field, "Enter", { shiftKey: true });
  expect(sent(bridge, "ChatAPI.Send")).toBeUndefined();
  key(field, "Enter");
  await until(() => expect(sent(bridge, "ChatAPI.Send")).toMatchObject([{ text: "Why does it fail?", replaces: 0 }]));
  expect((field as HTMLTextAreaElement).value).toBe("");
  const chat = app.state.chat.id;
  const message = await until(() => nth(app.state.chat.messages, 1).id);
  bridge.chats.say({
    type: "chat_delta",
    chat_id: chat,
    message,
    part: 0,
    offset: 0,
    text: "**Because**",
    reasoning: "",
  });
  await until(() => expect(get("chat-words").querySelector("strong")?.textContent).toBe("Because"));
  expect(find("chat-stop")).not.toBeNull();
  bridge.chats.end(chat, { parts: [{ text: "**Because** it does.", call: null }] });
  await until(() => expect(get("chat-words").textContent).toBe("Because it does."));
  expect(find("chat-stop")).toBeNull();
});

test("the words of an answer do not draw the head again", async () => {
  const bridge = new FakeBridge();
  let draws = 0;
  const app = (
    await mount(
      <Profiler id="head" onRender={() => draws++}>
        <Head />
      </Profiler>,
      bridge,
      async (app) => {
        await app.start();
        app.chat.show(cartChat);
        await vi.waitFor(() => expect(app.state.chat.isLoaded).toBe(true));
        await app.chat.say("Why?");
        await vi.waitFor(() => expect(app.state.chat.messages.at(-1)?.state).toBe("answering"));
      },
    )
  ).app;
  const message = app.state.chat.messages.at(-1)?.id ?? 0;
  draws = 0;
  const say = (offset: number, text: string) =>
    act(() =>
      bridge.chats.say({ type: "chat_delta", chat_id: cartChat, message, part: 0, offset, text, reasoning: "" }),
    );
  say(0, "Because ");
  say(8, "it does.");
  await until(() => expect(app.state.chat.messages.at(-1)?.parts?.[0]?.text).toBe("Because it does."));
  expect(draws).toBe(0);
});

test("Esc stops the answer and keeps what it said", async () => {
  const { bridge, app } = await draw();
  write("chat-field", "Why?");
  await press("chat-send");
  const { id } = app.state.chat;
  const message = await until(() => nth(app.state.chat.messages, 1).id);
  bridge.chats.get(id).messages = bridge.chats
    .get(id)
    .messages.map((m) => (m.id === message ? { ...m, parts: [{ text: "Half of", call: null }] } : m));
  key(get("chat-field"), "Escape");
  await until(() => expect(document.body.textContent).toContain("You stopped this answer."));
  expect(get("chat-words").textContent).toBe("Half of");
});

test("a refused message stays in the field", async () => {
  const problem: Problem = { code: "refused", message: "no", hint: "", field: "" };
  const { bridge } = await draw(cartChat);
  bridge.refusals.set("ChatAPI.Send", problem);
  write("chat-field", "Why?");
  await press("chat-send");
  await until(() => expect((get("chat-field") as HTMLTextAreaElement).value).toBe("Why?"));
});

test("a tool call opens to its result, a denied one says so", async () => {
  await draw(cartChat);
  const calls = await until(() => {
    expect(all("chat-call")).toHaveLength(3);
    return all("chat-call-open");
  });
  expect(calls.map((c) => c.textContent)).toEqual([
    "Readcart.go",
    "Readsession.go",
    "Rangit log -5 cart/· not allowed",
  ]);
  await press(nth(calls, 0));
  await until(() => expect(get("chat-call-details").textContent).toContain("func (c *Cart) Apply"));
});

test("a host that is not allowed is asked about, with the whole address", async () => {
  const { bridge, app } = await draw();
  write("chat-field", "What does the guide say?");
  await press("chat-send");
  const { id } = app.state.chat;
  await until(() => nth(app.state.chat.messages, 1).id);
  const address = `https://docs.example/guide?${"page=1&".repeat(40)}`;
  const ask = { request: "a1", arguments: JSON.stringify({ url: address }), hosts: ["docs.example"] };
  const call = { id: "c1", tool: "fetch_url", arguments: "{}", state: "asking" as const, preview: "", ms: 0, ask };
  const last = nth(bridge.chats.get(id).messages, 1);
  act(() => bridge.chats.put(id, { ...last, parts: [{ text: "", call }] }));
  await until(() => expect(get("chat-ask").textContent).toContain(address));
  expect(get("chat-call").textContent).toContain("needs you");
  await until(() => expect((get("chat-ask-chat") as HTMLButtonElement).disabled).toBe(false));
  await press("chat-ask-chat");
  expect(sent(bridge, "ChatAPI.AnswerAsk")).toEqual([id, { request: "a1", allow: true, for_chat: true }]);
  await until(() => expect(find("chat-ask")).toBeNull());
});

test("a sent message is edited, and the other version can be shown", async () => {
  const { bridge } = await draw(cartChat);
  await until(() => expect(all("chat-edit")).toHaveLength(2));
  await press(nth(all("chat-edit"), 0));
  expect((get("chat-field") as HTMLTextAreaElement).value).toContain("The total drops twice");
  expect(all("chat-draft-chip")).toHaveLength(1);
  key(get("chat-field"), "Escape");
  expect(find("chat-editing")).toBeNull();
  expect((get("chat-field") as HTMLTextAreaElement).value).toBe("");
  await press(nth(all("chat-edit"), 0));
  write("chat-field", "Why does the total drop?");
  await press("chat-send");
  await until(() => expect(sent(bridge, "ChatAPI.Send")).toMatchObject([{ replaces: 1 }]));
  await until(() => expect(all("chat-message")).toHaveLength(2));
});

test("an answer is written again, and both versions stay", async () => {
  const { bridge } = await draw(cartChat);
  await until(() => expect(get("chat-versions").textContent).toBe("1 / 2"));
  await press("chat-version-after");
  expect(sent(bridge, "ChatAPI.Show")).toEqual([cartChat, 3]);
  await until(() => expect(get("chat-words").textContent).toContain("Another answer"));
  await press("chat-regenerate");
  expect(sent(bridge, "ChatAPI.Regenerate")).toEqual([cartChat, 3]);
});

test("what is attached is a chip that can be removed, also with Backspace", async () => {
  const { app } = await draw();
  act(() => {
    app.chat.attach(
      attachment({ kind: "pane", title: "shop", pane: "t1" }),
      attachment({ kind: "selection", title: "Selection in shop", pane: "t1", text: "FAIL" }),
      attachment({ kind: "pane", title: "shop", pane: "t1" }),
    );
  });
  expect(all("chat-draft-chip").map((c) => c.textContent)).toEqual(["shop", "Selection in shop"]);
  key(get("chat-field"), "Backspace");
  expect(all("chat-draft-chip")).toHaveLength(1);
  await press("chat-chip-remove");
  expect(all("chat-draft-chip")).toHaveLength(0);
});

test("a failed answer says what to do next, and is tried again", async () => {
  const { bridge } = await draw();
  write("chat-field", "Why?");
  await press("chat-send");
  const id = await until(() => nth([...bridge.chats.all.keys()], 1));
  bridge.chats.end(id, { state: "failed", problem: "OpenAI rejected this key.", hint: "Replace it in the settings." });
  await until(() => expect(get("chat-problem").textContent).toContain("Replace it in the settings."));
  await press("chat-retry");
  expect(sent(bridge, "ChatAPI.Regenerate")).toMatchObject([id, expect.any(Number)]);
});

test("without a model, the panel connects one", async () => {
  const bridge = new FakeBridge();
  bridge.providers = [];
  const { app } = await draw("", bridge);
  await press("chat-connect");
  expect(app.state.connecting).toEqual({ preset: "" });
  expect(find("chat-field")).toBeNull();
});

test("chats are found, renamed, and deleted with a way back", async () => {
  const { app, bridge } = await draw();
  await press("chat-title");
  await until(() => expect(all("chat-line")).toHaveLength(1));
  write("chat-search", "nothing has this");
  await until(() => expect(all("chat-line")).toHaveLength(0));
  write("chat-search", "coupon");
  write("chat-search", "");
  await until(() => expect(all("chat-line")).toHaveLength(1));
  await press("chat-line-rename");
  write("chat-title-field", "Coupons");
  key(get("chat-title-field"), "Enter");
  await until(() => expect(get("chat-line").textContent).toContain("Coupons"));
  let undo: (() => void) | undefined;
  app.notices.done = (_, offer) => void (undo = offer?.run);
  await press("chat-line-delete");
  expect(all("chat-line")).toHaveLength(0);
  act(() => undo?.());
  expect(all("chat-line")).toHaveLength(1);
  expect(sent(bridge, "ChatAPI.Delete")).toBeUndefined();
});

test("a deleted chat is gone when the window closes", async () => {
  const { app, bridge } = await draw(cartChat);
  act(() => app.chat.delete({ id: cartChat, title: "" }));
  expect(app.state.chat.id).toBe("");
  window.dispatchEvent(new Event("pagehide"));
  await until(() => expect(sent(bridge, "ChatAPI.Delete")).toEqual([cartChat]));
});

test("a chat becomes a goal with the checks that are ticked", async () => {
  const { app, bridge } = await draw(cartChat);
  await until(() => expect(all("chat-to-goal").length).toBeGreaterThan(0));
  await press(nth(all("chat-to-goal"), 0));
  await until(() => expect(all("chat-goal-check")).toHaveLength(3));
  const ticks = () => all("chat-goal-check").map((c) => c.querySelector("input")?.checked);
  expect(ticks()).toEqual([true, false, false]);
  expect(get("chat-goal-card").textContent).toContain("passes already");
  await press(nth(all("chat-goal-check"), 0).querySelector("input") ?? get("chat-goal-card"));
  expect(get("chat-goal-start")).toHaveProperty("disabled", true);
  await press(nth(all("chat-goal-check"), 1).querySelector("input") ?? get("chat-goal-card"));
  write("chat-goal-objective", "Coupons count once");
  await press("chat-goal-start");
  expect(sent(bridge, "ChatAPI.StartGoal")).toMatchObject([
    cartChat,
    { objective: "Coupons count once", checks: [{ type: "shell", command: "go vet ./…" }], dir: "/home/ada/shop" },
  ]);
  await until(() => expect(find("chat-goal-card")).toBeNull());
  await until(() => expect(document.body.textContent).toContain("Goal started"));
  expect(app.state.detail.id).not.toBe("");
});

test("a goal from a chat can be edited first, with the chat attached", async () => {
  const { app } = await draw(cartChat);
  await until(() => expect(all("chat-to-goal").length).toBeGreaterThan(0));
  await press(nth(all("chat-to-goal"), 0));
  await until(() => expect(find("chat-goal-edit")).not.toBeNull());
  await press("chat-goal-edit");
  expect(app.state.newGoal.from).toMatchObject({ dir: "/home/ada/shop", checks: [{ type: "shell" }] });
  expect(app.state.newGoalChat).toBe(cartChat);
  expect(app.state.newGoal.from?.wall_clock_ms, "the usual limits count").toBeUndefined();
});

test("a goal that needs the user is named while the chat covers it", async () => {
  const { app } = await draw();
  app.set({ chatOpen: true });
  await until(() => expect(find("chat-needs-you")).not.toBeNull());
  await press("chat-review");
  expect(app.state.chatOpen).toBe(false);
  expect(app.state.detail.id).not.toBe("");
});

test("the panel stays open and as wide as it was", async () => {
  const { app } = await draw();
  act(() => {
    app.chat.open();
    app.chat.resize(520);
  });
  const saved = JSON.parse(localStorage.getItem("goalpost.chat") ?? "{}") as object;
  expect(saved).toMatchObject({ open: true, width: 520 });
  act(() => app.chat.toggle());
  expect(JSON.parse(localStorage.getItem("goalpost.chat") ?? "{}")).toMatchObject({ open: false });
});

test("text that turns lines round is marked wherever a page or a model says it", async () => {
  const { app } = await draw();
  act(() => app.chat.attach(attachment({ kind: "pane", title: "a\u202Eb", pane: "b1" })));
  expect(get("chat-draft-chip").textContent).toBe("a‹U+202E›b");
});

test("the head shows how full the model's window is, once an answer has used it", async () => {
  const { app } = await draw(cartChat);
  await until(() => expect(find("chat-cost")).not.toBeNull());
  expect(get("chat-cost").textContent).not.toContain("full");
  const { chat } = app.state.chat;
  if (!chat) throw new Error("no chat is open");
  act(() => app.set({ chat: { ...app.state.chat, chat: { ...chat, window_used: 62_000, window: 200_000 } } }));
  expect(get("chat-cost").textContent).toContain("31 % full · ");
  expect(get("chat-cost").title).toContain("62.0 k of 200.0 k tokens");
});
