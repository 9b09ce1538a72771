import { expect, test } from "vitest";
import { cartChat, chatHead, chatMessage } from "@/bridge/fake/chats";
import type { ChatUpdate } from "@/bridge/types";
import { answerText, shownChat, withChatEvent, withOpenChat, type ShownChat } from "./chats";

const at = "2026-01-01T00:00:10.000Z";
const question = chatMessage({ id: 1, role: "user", text: "Why?" });
const begun = chatMessage({ id: 2, role: "assistant", state: "answering" });
const opened: ShownChat = withOpenChat(shownChat(cartChat), {
  chat: chatHead({ id: cartChat }),
  messages: [question, begun],
});

const delta = (part: number, offset: number, text: string, reasoning = ""): ChatUpdate => ({
  ...{ type: "chat_delta", at, chat_id: cartChat, message: 2, part, offset, text, reasoning },
});
const after = (state: ShownChat, ...events: ChatUpdate[]) => events.reduce(withChatEvent, state);
const textOf = (state: ShownChat) => answerText(state.messages[1] ?? question);

test("words join the answer once, however often they come", () => {
  const state = after(opened, delta(0, 0, "It is "), delta(0, 6, "late."), delta(0, 6, "late."), delta(0, 0, "It is "));
  expect(textOf(state)).toBe("It is late.");
  expect(state.gap).toBe(false);
});

test("lost words are noticed", () => {
  expect(after(opened, delta(0, 0, "It "), delta(0, 9, "late.")).gap).toBe(true);
  expect(after(opened, delta(2, 0, "late.")).gap).toBe(true);
});

test("what the model thinks is shown until it writes", () => {
  const state = after(opened, delta(0, 0, "", "Let me "), delta(0, 0, "", "see."));
  expect(state.thinking).toBe("Let me see.");
  expect(after(state, delta(0, 0, "It is late.")).thinking).toBe("");
});

test("a tool call begins and ends between two texts", () => {
  const call = {
    id: "c",
    tool: "read_file",
    arguments: "{}",
    state: "running" as const,
    preview: "",
    ms: 0,
    ask: null,
  };
  const part = (state: "running" | "ok"): ChatUpdate => ({
    ...{ type: "chat_part", at, chat_id: cartChat, message: 2, index: 1, part: { text: "", call: { ...call, state } } },
  });
  const state = after(opened, delta(0, 0, "I look."), part("running"), part("ok"), delta(2, 0, "It is late."));
  expect(state.messages[1]?.parts?.[1]?.call?.state).toBe("ok");
  expect(textOf(state)).toBe("I look.\n\nIt is late.");
});

test("events that come while the chat is read are applied after it", () => {
  const reading = after(shownChat(cartChat), delta(0, 0, "It is "), {
    type: "chat_message",
    at,
    chat_id: cartChat,
    message: { ...begun, state: "done", parts: [{ text: "End", call: null }] },
  });
  expect(reading.messages).toEqual([]);
  const state = withOpenChat(reading, { chat: chatHead({ id: cartChat }), messages: [question, begun] });
  expect(state.messages[1]?.state).toBe("done");
  expect(textOf(state)).toBe("End");
});

test("another version of a message ends what followed the one that was shown", () => {
  const edited = chatMessage({ id: 3, role: "user", text: "Why twice?", versions: [1, 3] });
  const state = after(opened, { type: "chat_message", at, chat_id: cartChat, message: edited });
  expect(state.messages.map((m) => m.id)).toEqual([3]);
});

test("events of other chats change nothing", () => {
  expect(after(opened, { ...delta(0, 0, "No"), chat_id: "other" } as ChatUpdate)).toBe(opened);
  expect(after(shownChat(""), delta(0, 0, "No")).messages).toEqual([]);
});
