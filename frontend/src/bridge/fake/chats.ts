import type {
  Attachment,
  Chat,
  ChatMessage,
  ChatUpdate,
  GoalProposal,
  GoalRequest,
  Methods,
  NewChat,
  OpenChat,
  SendInput,
  Sent,
} from "@/bridge/types";

type ChatMethods = {
  [K in keyof Methods as K extends `ChatAPI.${string}` ? K : never]: (
    ...args: Parameters<Methods[K]>
  ) => ReturnType<Methods[K]>;
};

const at = "2026-11-22T14:02:00.000Z";

type FakeChat = OpenChat & { messages: ChatMessage[] };

/** Chats whose answers repeat the question, in three deltas. */
export class FakeChats {
  readonly chats = new Map<string, FakeChat>();
  private count = 0;

  constructor(
    private readonly publish: (event: ChatUpdate) => void,
    private readonly start: (input: GoalRequest) => string,
  ) {}

  readonly handlers: ChatMethods = {
    "ChatAPI.List": ({ query }) => {
      const fit = [...this.chats.values()].filter((c) => c.chat.title.toLowerCase().includes(query.toLowerCase()));
      return { chats: fit.map((c) => ({ ...c.chat, excerpt: "" })), more: false };
    },
    "ChatAPI.New": (input) => this.begin(input).chat,
    "ChatAPI.Open": (id) => this.get(id),
    "ChatAPI.Change": (id, change) => {
      const c = this.get(id).chat;
      c.title = change.title ?? c.title;
      c.dir = change.dir ?? c.dir;
      c.provider = change.provider ?? c.provider;
      c.model = change.model ?? c.model;
      c.effort = change.effort ?? c.effort;
      this.publish({ type: "chat", at, chat: { ...c }, deleted: false });
      return { ...c };
    },
    "ChatAPI.Delete": (id) => {
      const { chat } = this.get(id);
      this.publish({ type: "chat", at, chat, deleted: true });
      return this.chats.delete(id);
    },
    "ChatAPI.Send": (input) => this.send(input),
    "ChatAPI.Regenerate": (id, answer) => {
      const c = this.get(id);
      const i = c.messages.findIndex((m) => m.id === answer);
      const question = c.messages[i - 1];
      c.messages.splice(i);
      return { message: question?.id ?? 0, answer: this.answer(c, question?.text ?? "") };
    },
    "ChatAPI.Stop": () => true,
    "ChatAPI.Show": (id) => this.get(id),
    "ChatAPI.Branch": (id, message) => {
      const from = this.get(id);
      const copy = this.begin({ workspace: "", dir: from.chat.dir, provider: "", model: "", effort: "", goal_id: "" });
      copy.chat.title = from.chat.title;
      copy.chat.from = id;
      copy.messages.push(...from.messages.filter((m) => m.id <= message));
      return copy.chat;
    },
    "ChatAPI.Result": (id, answer, call) => {
      const found = this.get(id)
        .messages.find((m) => m.id === answer)
        ?.parts?.find((p) => p.call?.id === call)?.call;
      if (!found) throw new Error(`no call ${call}`);
      return { call: found, text: "the whole result" };
    },
    "ChatAPI.ProposeGoal": (id): GoalProposal => ({
      objective: `Do what "${this.get(id).chat.title}" is about`,
      dir: this.get(id).chat.dir,
      risk: "write_local",
      allow_hosts: [],
      provider: "",
      model: "",
      checks: [],
      why: "",
      notes: [],
    }),
    "ChatAPI.StartGoal": (id, request) => {
      const goal_id = this.start(request);
      this.put(this.get(id), { role: "goal", text: request.objective, goal_id });
      return { goal_id };
    },
  };

  private get(id: string): FakeChat {
    const c = this.chats.get(id);
    if (!c) throw new Error(`no chat ${id}`);
    return c;
  }

  private begin(input: NewChat): FakeChat {
    const chat: Chat = {
      ...input,
      id: `01chat${++this.count}`.padEnd(26, "0"),
      title: "",
      from: "",
      is_answering: false,
      spent: { tokens_in: 0, tokens_out: 0, usd: 0 },
      created_at: at,
      updated_at: at,
    };
    const open: FakeChat = { chat, messages: [] };
    this.chats.set(chat.id, open);
    this.publish({ type: "chat", at, chat: { ...chat }, deleted: false });
    return open;
  }

  private put(c: FakeChat, part: Partial<ChatMessage>): ChatMessage {
    const id = (c.messages.at(-1)?.id ?? 0) + 1;
    const message: ChatMessage = {
      id,
      role: "user",
      text: "",
      attachments: [],
      parts: [],
      state: "done",
      problem: "",
      hint: "",
      waiting: "",
      model: "",
      usage: { tokens_in: 0, tokens_out: 0, usd: 0 },
      goal_id: "",
      versions: [id],
      at,
      ...part,
    };
    c.messages.push(message);
    this.publish({ type: "chat_message", at, chat_id: c.chat.id, message: { ...message } });
    return message;
  }

  private send(input: SendInput): Sent {
    const c = this.get(input.chat_id);
    if (input.replaces) c.messages.splice(c.messages.findIndex((m) => m.id === input.replaces));
    const sent = this.put(c, {
      text: input.text,
      attachments: input.attachments.map((one): Attachment => ({ ...one })),
    });
    c.chat.title ||= input.text;
    return { message: sent.id, answer: this.answer(c, input.text) };
  }

  private answer(c: FakeChat, text: string): number {
    const answer = this.put(c, { role: "assistant", state: "answering", model: "fake" });
    let offset = 0;
    for (const piece of ["You asked: ", text, "."]) {
      this.publish({
        type: "chat_delta",
        at,
        chat_id: c.chat.id,
        message: answer.id,
        part: 0,
        offset,
        text: piece,
        reasoning: "",
      });
      offset += piece.length;
    }
    answer.parts = [{ text: `You asked: ${text}.`, call: null }];
    answer.state = "done";
    this.publish({ type: "chat_message", at, chat_id: c.chat.id, message: { ...answer } });
    return answer.id;
  }
}
