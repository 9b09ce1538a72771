import { CallError } from "@/bridge/problem";
import type {
  AnswerPart,
  Attachment,
  CallState,
  Chat,
  ChatUpdate,
  ChatMessage,
  GoalProposal,
  GoalRequest,
  Methods,
  OpenChat,
  SendInput,
} from "@/bridge/types";
import { at } from "./fixtures";

type ChatHandlers = {
  [M in Extract<keyof Methods, `ChatAPI.${string}`>]: (
    ...args: Parameters<Methods[M]>
  ) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>;
};

/** An event of a chat without its time. */
type ChatBody = ChatUpdate extends infer E ? (E extends ChatUpdate ? Omit<E, "at"> : never) : never;

export const cartChat = "01m0chatcart000000000000c1";
export const longChat = "01m0chatlong000000000000c2";

const noUsage = { tokens_in: 0, tokens_out: 0, usd: 0 };

export function chatHead(part: Partial<Chat> & Pick<Chat, "id">): Chat {
  return {
    title: "",
    workspace: "w1",
    dir: "/home/ada/shop",
    provider: "anthropic",
    model: "claude-sonnet-4.5",
    effort: "",
    allow_hosts: [],
    goal_id: "",
    from: "",
    is_answering: false,
    window_used: 0,
    window: 0,
    spent: noUsage,
    created_at: at(-3_600_000),
    updated_at: at(-600_000),
    ...part,
  };
}

export function chatMessage(part: Partial<ChatMessage> & Pick<ChatMessage, "id" | "role">): ChatMessage {
  return {
    text: "",
    attachments: [],
    parts: [],
    state: "done",
    problem: "",
    hint: "",
    waiting: "",
    model: part.role === "assistant" ? "claude-sonnet-4.5" : "",
    usage: noUsage,
    goal_id: "",
    versions: [part.id],
    at: at(-600_000 + part.id * 1_000),
    ...part,
  };
}

const call = (id: string, tool: string, args: object, preview: string, state: CallState = "ok"): AnswerPart => ({
  text: "",
  call: { id, tool, arguments: JSON.stringify(args), state, preview, ms: 42, ask: null },
});

const words = (text: string): AnswerPart => ({ text, call: null });

const terminal: Attachment = {
  ...{ kind: "pane", title: "Terminal: shop, last 40 lines", pane: "t1", path: "", image: "", goal_id: "" },
  text: "~/shop $ go test ./cart/…\n--- FAIL: TestCouponTwice (0.00s)\n    cart_test.go:88: got 2 coupons, want 1\nFAIL",
};

const cartAnswer = `**The coupon is applied again on every load.** \`Load\` calls \`Apply\` for each stored code, but the stored
total already includes the discount (\`session.go:31\`):

\`\`\`go
for _, code := range s.Codes {
    cart.Apply(code) // discounts the discounted total
}
\`\`\`

1. Make \`Apply\` ignore a code that is already in the cart (smaller).
2. Store the subtotal and compute the discount when it is shown.
`;

const cartMessages: ChatMessage[] = [
  chatMessage({
    id: 1,
    role: "user",
    text: "The total drops twice when I reload the cart with SPRING10. Why?",
    attachments: [terminal],
  }),
  chatMessage({
    id: 2,
    role: "assistant",
    parts: [
      call("c1", "read_file", { path: "cart/cart.go" }, "212 lines"),
      call("c2", "read_file", { path: "cart/session.go" }, "64 lines"),
      call("c3", "run_command", { command: "git log -5 cart/" }, "A chat changes nothing and runs nothing.", "denied"),
      words(cartAnswer),
    ],
    usage: { tokens_in: 11_800, tokens_out: 240, usd: 0.021 },
    versions: [2, 3],
  }),
  chatMessage({ id: 4, role: "user", text: "Do the first one, with a test." }),
  chatMessage({
    id: 5,
    role: "assistant",
    parts: [words("That needs a goal: a chat only reads. **Turn this into a goal** proposes one with its checks.")],
    usage: { tokens_in: 12_400, tokens_out: 60, usd: 0.009 },
  }),
];

/** A chat of a thousand questions, each with its answer. */
const longMessages = (): ChatMessage[] =>
  Array.from({ length: 1_000 }, (_, i) => [
    chatMessage({ id: 2 * i + 1, role: "user", text: `Question ${i + 1}: what does part ${i + 1} of the shop do?` }),
    chatMessage({
      id: 2 * i + 2,
      role: "assistant",
      parts: [
        ...(i % 3 === 0 ? [call(`l${i}`, "read_file", { path: `src/part${i}.go` }, "80 lines")] : []),
        words(
          `**Part ${i + 1}** ${"keeps the cart and its total in step. ".repeat(1 + (i % 7))}\n\n` +
            `\`\`\`go\n${`total += price(${i})\n`.repeat(1 + (i % 5))}\`\`\`\n`,
        ),
      ],
    }),
  ]).flat();

const proposal: GoalProposal = {
  objective: "A coupon counts once per cart, also after a reload. Keep old sessions working and add a test.",
  dir: "/home/ada/shop",
  risk: "write_local",
  allow_hosts: [],
  provider: "",
  model: "",
  checks: [
    {
      check: { type: "shell", command: "go test ./cart/… -run Coupon" },
      reason: "the test that fails",
      from: "model",
      allow_local: [],
      tried: { outcome: "fails_now", detail: "exit 1", output: "", exit_code: 1, ms: 800 },
      why: "",
      ticked: true,
    },
    {
      check: { type: "shell", command: "go vet ./…" },
      reason: "the code stays correct",
      from: "folder",
      allow_local: [],
      tried: { outcome: "passes_already", detail: "exit 0", output: "", exit_code: 0, ms: 1_200 },
      why: "",
      ticked: false,
    },
    {
      check: { type: "model_question", question: "Does the cart show the discount once?" },
      reason: "what the user sees",
      from: "model",
      allow_local: [],
      tried: null,
      why: "A question to a model is not tried.",
      ticked: false,
    },
  ],
  why: "It changes files of the folder that this chat reads.",
  notes: [],
};

interface FakeChat {
  chat: Chat;
  messages: ChatMessage[];
}

/** The chats of the fake Go, which answers nothing by itself: a test says what its model does. */
export class FakeChats {
  readonly all = new Map<string, FakeChat>();
  proposal: GoalProposal = proposal;
  /** What the tool calls of answers returned. */
  results: Record<string, string> = { c1: "package cart\n\nfunc (c *Cart) Apply(code string) {\n" };
  private made = 0;
  private newest = 10;

  constructor(
    private readonly publish: (event: ChatUpdate) => void,
    private readonly begin: (request: GoalRequest) => string,
  ) {
    const spent = { tokens_in: 24_200, tokens_out: 300, usd: 0.03 };
    const head = chatHead({ id: cartChat, title: "Why is the cart total wrong?", spent });
    this.all.set(cartChat, { chat: head, messages: structuredClone(cartMessages) });
  }

  /** Adds the chat of a thousand questions. */
  addLong(): void {
    const chat = chatHead({ id: longChat, title: "All parts of the shop", updated_at: at(-86_400_000) });
    this.all.set(longChat, { chat, messages: longMessages() });
  }

  say(body: ChatBody): void {
    this.publish({ at: at(0), ...body });
  }

  get(id: string): FakeChat {
    const found = this.all.get(id);
    if (!found) throw new CallError({ code: "not_found", message: "no such chat", hint: "", field: "" });
    return found;
  }

  /** Changes a message, or adds it, and tells all viewers. */
  put(id: string, message: ChatMessage): void {
    const of = this.get(id);
    const known = of.messages.findIndex((m) => m.id === message.id);
    of.messages = known < 0 ? [...of.messages, message] : of.messages.with(known, message);
    this.say({ type: "chat_message", chat_id: id, message });
  }

  private head(id: string, part: Partial<Chat>): Chat {
    const of = this.get(id);
    of.chat = { ...of.chat, ...part };
    this.say({ type: "chat", chat: of.chat, deleted: false });
    return of.chat;
  }

  /** Ids grow within all chats. */
  private next(): number {
    this.newest += 1;
    return this.newest;
  }

  /** Begins an answer: of a new message, or beside another one. */
  private answer(id: string, versions: number[] = []): number {
    const answer = this.next();
    this.put(id, chatMessage({ id: answer, role: "assistant", state: "answering", versions: [...versions, answer] }));
    this.head(id, { is_answering: true });
    return answer;
  }

  private send({ chat_id: id, text, attachments, replaces }: SendInput) {
    const of = this.get(id);
    const versions: number[] = [];
    if (replaces > 0) {
      const at = of.messages.findIndex((m) => m.id === replaces);
      versions.push(...(of.messages[at]?.versions ?? []));
      of.messages = of.messages.slice(0, at);
    }
    const message = this.next();
    this.put(
      id,
      chatMessage({
        id: message,
        role: "user",
        text,
        attachments: [...attachments],
        versions: [...versions, message],
      }),
    );
    if (!of.chat.title) this.head(id, { title: text.slice(0, 60) });
    return { message, answer: this.answer(id) };
  }

  /** Ends the answer that is being written. */
  end(id: string, part: Partial<ChatMessage>): void {
    const last = this.get(id).messages.at(-1);
    if (last) this.put(id, { ...last, state: "done", ...part });
    this.head(id, { is_answering: false });
  }

  private open(id: string): OpenChat {
    const { chat, messages } = this.get(id);
    return { chat, messages };
  }

  readonly handlers: ChatHandlers = {
    "ChatAPI.List": ({ query, limit }) => {
      const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
      const has = ({ chat, messages }: FakeChat) => {
        const text = [chat.title, ...messages.map((m) => m.text)].join(" ").toLowerCase();
        return asked.every((word) => text.includes(word));
      };
      const found = [...this.all.values()].filter(has);
      found.sort((a, b) => b.chat.updated_at.localeCompare(a.chat.updated_at));
      return { chats: found.slice(0, limit || 50).map(({ chat }) => ({ ...chat, excerpt: "" })), more: false };
    },
    "ChatAPI.New": ({ workspace, dir, model, goal_id }) => {
      const id = `01m0chatmade0000000000000${++this.made}`;
      const [provider = "", ...name] = model.split("/");
      const chosen = model ? { provider, model: name.join("/") } : {};
      const chat = chatHead({ id, workspace, dir, goal_id, ...chosen, updated_at: at(this.made) });
      this.all.set(id, { chat, messages: [] });
      this.say({ type: "chat", chat, deleted: false });
      return chat;
    },
    "ChatAPI.Open": (id) => this.open(id),
    "ChatAPI.Send": (input) => this.send(input),
    "ChatAPI.Stop": (id) => {
      this.end(id, { state: "stopped" });
      return true;
    },
    "ChatAPI.AnswerAsk": (id, { request, allow }) => {
      const last = this.get(id).messages.at(-1);
      const parts = (last?.parts ?? []).map((p) =>
        p.call?.ask?.request === request
          ? { ...p, call: { ...p.call, ask: null, state: allow ? ("ok" as const) : ("denied" as const) } }
          : p,
      );
      if (last) this.put(id, { ...last, parts });
      return true;
    },
    "ChatAPI.Regenerate": (id, message) => {
      const of = this.get(id);
      const at = of.messages.findIndex((m) => m.id === message);
      const versions = of.messages[at]?.versions ?? [];
      of.messages = of.messages.slice(0, at);
      return { message: of.messages.at(-1)?.id ?? 0, answer: this.answer(id, versions) };
    },
    "ChatAPI.Show": (id, message) => {
      const of = this.get(id);
      const at = of.messages.findIndex((m) => m.versions?.includes(message));
      const was = of.messages[at];
      if (was) {
        const other = words("Another answer: `Apply` runs twice because the session is loaded twice.");
        of.messages = [...of.messages.slice(0, at), { ...was, id: message, parts: [other] }];
      }
      return this.open(id);
    },
    "ChatAPI.Change": (id, change) =>
      this.head(id, Object.fromEntries(Object.entries(change).filter(([, v]) => v !== null))),
    "ChatAPI.Delete": (id) => {
      const { chat } = this.get(id);
      this.all.delete(id);
      this.say({ type: "chat", chat, deleted: true });
      return true;
    },
    "ChatAPI.Branch": (id, message) => {
      const { chat, messages } = this.get(id);
      const copy = { ...chat, id: `01m0chatmade0000000000000${++this.made}`, from: id };
      const end = messages.findIndex((m) => m.id === message) + 1;
      this.all.set(copy.id, { chat: copy, messages: structuredClone(messages.slice(0, end)) });
      this.say({ type: "chat", chat: copy, deleted: false });
      return copy;
    },
    "ChatAPI.Result": (id, message, callId) => {
      const part = this.get(id)
        .messages.find((m) => m.id === message)
        ?.parts?.find((p) => p.call?.id === callId);
      if (!part?.call) throw new CallError({ code: "not_found", message: "no such call", hint: "", field: "" });
      return { call: part.call, text: this.results[callId] ?? part.call.preview };
    },
    "ChatAPI.ProposeGoal": () => this.proposal,
    "ChatAPI.StartGoal": (id, request) => {
      const goal = this.begin(request);
      this.put(id, chatMessage({ id: this.next(), role: "goal", text: request.objective, goal_id: goal }));
      return { goal_id: goal };
    },
  };
}
