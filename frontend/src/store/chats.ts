import type {
  AnswerPart,
  Attachment,
  Chat,
  ChatUpdate,
  ChatMessage,
  GoalProposal,
  OpenChat,
  Problem,
} from "@/bridge/types";

/** What the user writes and attaches, until it is sent. */
export interface ChatDraft {
  text: string;
  attachments: readonly Attachment[];
  /** The sent message that the draft is an edit of, 0 for a new one. */
  replaces: number;
  /** The model of a chat that does not exist yet: PROVIDER/MODEL, "" for the default. */
  model: string;
}

export const emptyChatDraft: ChatDraft = { text: "", attachments: [], replaces: 0, model: "" };

/** A goal that a model makes from a chat. */
export type ChatProposal = { chat: string } & (
  { state: "asking" } | { state: "proposed"; proposal: GoalProposal } | { state: "failed"; problem: Problem }
);

/** The chat that the panel shows. */
export interface ShownChat {
  /** "" is a new one, which begins with its first message. */
  id: string;
  chat: Chat | null;
  messages: readonly ChatMessage[];
  /** What the model thinks before the next words of its answer. */
  thinking: string;
  isLoaded: boolean;
  /** Events that came while the chat was read. */
  waiting: readonly ChatUpdate[];
  /** Words were lost: the chat must be read again. */
  gap: boolean;
  /** Why it could not be read. */
  problem: Problem | null;
}

export function shownChat(id: string): ShownChat {
  return {
    id,
    chat: null,
    messages: [],
    thinking: "",
    isLoaded: id === "",
    waiting: [],
    gap: false,
    problem: null,
  };
}

const maxThinking = 16_000;

/** The chat as Go has read it. Events that came in the meantime are applied again: the newest one wins. */
export function withOpenChat(state: ShownChat, read: OpenChat): ShownChat {
  const { waiting } = state;
  const messages = read.messages ?? [];
  const fresh = { ...state, chat: read.chat, messages, isLoaded: true, waiting: [], gap: false, problem: null };
  return waiting.reduce(withChatEvent, fresh);
}

/** Applies an event of any chat. Those of others change nothing. */
export function withChatEvent(state: ShownChat, event: ChatUpdate): ShownChat {
  const id = event.type === "chat" ? event.chat.id : event.chat_id;
  if (state.id === "" || id !== state.id) return state;
  if (!state.isLoaded) return { ...state, waiting: [...state.waiting, event] };
  switch (event.type) {
    case "chat":
      return event.deleted ? shownChat("") : { ...state, chat: event.chat };
    case "chat_message":
      return { ...state, messages: withMessage(state.messages, event.message), thinking: "" };
    case "chat_part":
      return { ...withPart(state, event.message, event.index, () => event.part), thinking: "" };
    case "chat_delta": {
      if (event.text === "") return { ...state, thinking: (state.thinking + event.reasoning).slice(-maxThinking) };
      const next = withPart(state, event.message, event.part, (part) => grown(part, event.offset, event.text));
      return { ...next, thinking: "" };
    }
  }
}

/** A message replaces itself. Another version of a shown one, and a new one, end what is shown. */
function withMessage(messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] {
  const at = messages.findLastIndex((m) => m.id === message.id);
  if (at >= 0) return messages.with(at, message);
  const others = messages.findIndex((m) => message.versions?.includes(m.id));
  return [...(others < 0 ? messages : messages.slice(0, others)), message];
}

/** Changes a part of an answer, which may be a new one; null means that something before it is missing. */
function withPart(
  state: ShownChat,
  id: number,
  index: number,
  change: (part: AnswerPart | undefined) => AnswerPart | null,
): ShownChat {
  const at = state.messages.findLastIndex((m) => m.id === id);
  const message = state.messages[at];
  const parts = message?.parts ?? [];
  const part = message && index <= parts.length ? change(parts[index]) : null;
  if (!message || !part) return { ...state, gap: true };
  if (part === parts[index]) return state;
  const next = { ...message, waiting: "", parts: index < parts.length ? parts.with(index, part) : [...parts, part] };
  return { ...state, messages: state.messages.with(at, next) };
}

/** A text with what follows its first `offset` characters. The same text may come twice. */
function grown(part: AnswerPart | undefined, offset: number, text: string): AnswerPart | null {
  const before = part?.text ?? "";
  if (offset > before.length) return null;
  if (part && offset + text.length <= before.length) return part;
  return { text: before.slice(0, offset) + text, call: part?.call ?? null };
}

/** The text of an answer without its calls. */
export function answerText(message: ChatMessage): string {
  return (message.parts ?? [])
    .map((p) => p.text)
    .filter(Boolean)
    .join("\n\n");
}

/** Whether a message is being answered. */
export function isAnswering(state: ShownChat): boolean {
  return state.messages.at(-1)?.state === "answering";
}
