import { asProblem } from "@/bridge/problem";
import type { AskAnswer, Attachment, Chat, ChatChange, GoalProposal, ProposedCheck } from "@/bridge/types";
import type { AppCore } from "./core";
import { emptyChatDraft, isAnswering, shownChat, type ChatDraft, type ChatProposal } from "./chats";
import type { WorkspaceActions } from "./workspaceactions";
import { openWorkspace } from "./workspaces";

/** An attachment of a kind, with its other fields empty. */
export function attachment(part: Partial<Attachment> & Pick<Attachment, "kind" | "title">): Attachment {
  return { pane: "", path: "", text: "", image: "", goal_id: "", ...part };
}

/** Whether two attachments give the same thing. */
function isSame(a: Attachment, b: Attachment): boolean {
  return (
    a.kind === b.kind &&
    a.pane === b.pane &&
    a.path === b.path &&
    a.text === b.text &&
    a.image === b.image &&
    a.goal_id === b.goal_id
  );
}

/** A change of a chat's head that changes nothing. */
const noChange: ChatChange = { title: null, dir: null, provider: null, model: null, effort: null, allow_hosts: null };

const key = "goalpost.chat";
/** How long a notice offers to undo. */
const undoMs = 10_000;

interface SavedPanel {
  open: boolean;
  width: number;
  /** The open chat of each workspace. */
  chats: Record<string, string>;
}

function savedPanel(): SavedPanel {
  try {
    const saved = JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<SavedPanel>;
    const width = typeof saved.width === "number" ? saved.width : 0;
    return { open: saved.open === true, width, chats: saved.chats ?? {} };
  } catch {
    return { open: false, width: 0, chats: {} };
  }
}

/** Actions of the chat panel. */
export class ChatActions {
  private readonly panel = savedPanel();

  constructor(
    private readonly core: AppCore,
    private readonly workspaces: WorkspaceActions,
  ) {
    core.set({ chatOpen: this.panel.open, chatWidth: this.panel.width });
    core.store.subscribe((s, old) => {
      if (s.chatOpen !== old.chatOpen) this.save({ open: s.chatOpen });
    });
  }

  private get workspace(): string {
    return openWorkspace(this.core.state)?.id ?? "";
  }

  private save(part: Partial<SavedPanel>): void {
    Object.assign(this.panel, part);
    try {
      localStorage.setItem(key, JSON.stringify(this.panel));
    } catch {
      // If the storage is full or forbidden, the panel opens as on the first start.
    }
  }

  /** Opens the panel with the cursor in its field; closes it if it is open. */
  toggle(): void {
    const { chatOpen, route } = this.core.state;
    if (chatOpen && route === "workspace") this.close();
    else this.open();
  }

  open(): void {
    this.core.set({ chatOpen: true, route: "workspace", chatFocus: this.core.state.chatFocus + 1 });
  }

  close(): void {
    this.core.set({ chatOpen: false });
  }

  resize(width: number): void {
    this.core.set({ chatWidth: width });
    this.save({ width });
  }

  /** Shows the chat that the open workspace had last. */
  enter(): void {
    const id = this.panel.chats[this.workspace] ?? "";
    if (this.core.state.chat.id !== id) this.show(id);
  }

  /** Shows a chat; "" begins a new one. */
  show(id: string): void {
    this.core.set({ chat: shownChat(id), chatList: false, chatProposal: null });
    this.save({ chats: { ...this.panel.chats, [this.workspace]: id } });
    if (id) void this.core.sync.loadChat(id);
  }

  openList(): void {
    this.open();
    this.core.set({ chatList: true });
  }

  /** Begins a new chat with the cursor in its field. */
  begin(): void {
    this.show("");
    this.open();
  }

  draft(part: Partial<ChatDraft>): void {
    this.core.store.setState((s) => ({ chatDraft: { ...s.chatDraft, ...part } }));
  }

  /** Opens the panel with something attached to the next message. */
  ask(...given: readonly Attachment[]): void {
    this.attach(...given);
    this.open();
  }

  attach(...given: readonly Attachment[]): void {
    const attachments = [...this.core.state.chatDraft.attachments];
    for (const one of given) if (!attachments.some((a) => isSame(a, one))) attachments.push(one);
    this.draft({ attachments });
  }

  detach(index: number): void {
    this.draft({ attachments: this.core.state.chatDraft.attachments.filter((_, i) => i !== index) });
  }

  /** Asks about a goal in a chat of its own, with its transcript, changes and checks attached. */
  askAboutGoal(id: string, objective: string): void {
    this.show("");
    this.draft({ ...emptyChatDraft, attachments: [attachment({ kind: "goal", title: objective, goal_id: id })] });
    this.open();
  }

  /** Sends the draft. It stays if it is refused. */
  async send(): Promise<void> {
    const { chatDraft: draft, chat } = this.core.state;
    const text = draft.text.trim();
    if (!text || isAnswering(chat)) return;
    this.core.set({ chatDraft: { ...emptyChatDraft, model: draft.model } });
    try {
      const id = chat.id || (await this.create(draft));
      const { attachments, replaces } = draft;
      await this.core.bridge.call("ChatAPI.Send", { chat_id: id, text, attachments, replaces });
    } catch (reason) {
      this.core.notices.problem(asProblem(reason));
      if (this.core.state.chatDraft.text === "") this.core.set({ chatDraft: draft });
    }
  }

  private async create(draft: ChatDraft): Promise<string> {
    const { workspace } = this;
    const created = await this.core.bridge.call("ChatAPI.New", {
      workspace,
      dir: "",
      provider: "",
      model: draft.model,
      effort: "",
      allow_hosts: [],
      goal_id: draft.attachments.find((a) => a.kind === "goal")?.goal_id ?? "",
    });
    this.core.set({ chat: { ...shownChat(created.id), chat: created, isLoaded: true } });
    this.save({ chats: { ...this.panel.chats, [workspace]: created.id } });
    return created.id;
  }

  /** Stops the answer; its text stays. */
  async stop(): Promise<void> {
    const { id } = this.core.state.chat;
    if (id) await this.core.ask("ChatAPI.Stop", id);
  }

  /** Writes an answer again, beside the one that is shown. */
  async regenerate(message: number): Promise<void> {
    await this.core.ask("ChatAPI.Regenerate", this.core.state.chat.id, message);
  }

  /** Shows another version of a message, with what followed it. */
  async showVersion(message: number): Promise<void> {
    const { id } = this.core.state.chat;
    const read = await this.core.ask("ChatAPI.Show", id, message);
    if (read) this.core.sync.chatRead(id, read);
  }

  /** Puts a sent message back into the field, to send it changed. */
  edit(message: number): void {
    const found = this.core.state.chat.messages.find((m) => m.id === message);
    if (!found) return;
    this.draft({ text: found.text, attachments: found.attachments ?? [], replaces: message });
    this.core.set({ chatFocus: this.core.state.chatFocus + 1 });
  }

  /** Chooses the model of the shown chat, or of the one that begins with the next message. */
  async choose(provider: string, model: string): Promise<void> {
    const { id } = this.core.state.chat;
    if (!id) this.draft({ model: `${provider}/${model}` });
    else await this.core.ask("ChatAPI.Change", id, { ...noChange, provider, model });
  }

  /** Answers what an answer asks before a call. */
  async answerAsk(id: string, answer: AskAnswer): Promise<void> {
    await this.core.ask("ChatAPI.AnswerAsk", id, answer);
  }

  /** Lets a chat ask again before it reads from a host. */
  async forgetHost(host: string): Promise<void> {
    const { id, chat } = this.core.state.chat;
    const hosts = (chat?.allow_hosts ?? []).filter((h) => h !== host);
    if (id && chat) await this.core.ask("ChatAPI.Change", id, { ...noChange, allow_hosts: hosts });
  }

  async rename(id: string, title: string): Promise<boolean> {
    return (await this.core.ask("ChatAPI.Change", id, { ...noChange, title })) !== undefined;
  }

  /** Deletes a chat, in ten seconds: until then a notice offers to keep it, and no list shows it. */
  delete(chat: Pick<Chat, "id" | "title">): void {
    if (this.core.state.chat.id === chat.id) this.show("");
    const remove = () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", remove);
      void this.core.ask("ChatAPI.Delete", chat.id);
    };
    const timer = setTimeout(remove, undoMs);
    window.addEventListener("pagehide", remove);
    this.hide(chat.id, true);
    const keep = () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", remove);
      this.hide(chat.id, false);
    };
    this.core.notices.done(`Deleted “${chat.title || "New chat"}”`, { label: "Undo", run: keep });
  }

  private hide(id: string, on: boolean): void {
    const { chatsHidden } = this.core.state;
    this.core.set({ chatsHidden: on ? [...chatsHidden, id] : chatsHidden.filter((c) => c !== id) });
  }

  /** Begins a chat with a copy of the messages up to one of them, and shows it. */
  async branch(message: number): Promise<void> {
    const copy = await this.core.ask("ChatAPI.Branch", this.core.state.chat.id, message);
    if (!copy) return;
    this.show(copy.id);
    this.core.notices.done("You are in a branch of the chat. The chat itself is in the list.");
  }

  /** Sends words that the user did not type, such as "Go on.". */
  async say(text: string): Promise<void> {
    const { chat } = this.core.state;
    if (chat.id) await this.core.ask("ChatAPI.Send", { chat_id: chat.id, text, attachments: [], replaces: 0 });
  }

  cancelEdit(): void {
    this.draft({ text: "", attachments: [], replaces: 0 });
  }

  /** Asks a model for a goal from the shown chat, and shows it. */
  async openProposal(): Promise<void> {
    const { id } = this.core.state.chat;
    if (!id) return;
    const asked: ChatProposal = { state: "asking", chat: id };
    this.core.set({ chatProposal: asked });
    let next: ChatProposal;
    try {
      next = { state: "proposed", chat: id, proposal: await this.core.bridge.call("ChatAPI.ProposeGoal", id) };
    } catch (reason) {
      next = { state: "failed", chat: id, problem: asProblem(reason) };
    }
    // The user may have dismissed it, or asked again.
    if (this.core.state.chatProposal === asked) this.core.set({ chatProposal: next });
  }

  closeProposal(): void {
    this.core.set({ chatProposal: null, chatFocus: this.core.state.chatFocus + 1 });
  }

  /** Starts the proposed goal with the checks that the user ticked. */
  async startGoal(objective: string, checks: readonly ProposedCheck[]): Promise<void> {
    const shown = this.core.state.chatProposal;
    if (shown?.state !== "proposed") return;
    const request = { ...requestOf(shown.proposal, objective, checks), ...usualLimits };
    const started = await this.core.ask("ChatAPI.StartGoal", shown.chat, request);
    if (!started) return;
    this.closeProposal();
    this.workspaces.addGoal(started.goal_id);
    this.core.sync.select(started.goal_id);
  }

  /** Opens New goal with the proposed goal, and with the chat attached. */
  editProposal(objective: string, checks: readonly ProposedCheck[]): void {
    const shown = this.core.state.chatProposal;
    this.core.newGoal(shown?.state === "proposed" ? requestOf(shown.proposal, objective, checks) : { objective });
    this.core.set({ chatProposal: null, newGoalChat: shown?.chat ?? "" });
  }
}

/** In a request, a limit of 0 is the usual one. In the draft of a dialog, it would be none. */
const usualLimits = { wall_clock_ms: 0, iterations: 0, claims_per_check: 0, tokens: 0, usd: 0 };

/** The proposed goal with what the user changed of it. */
function requestOf(proposal: GoalProposal, objective: string, checks: readonly ProposedCheck[]) {
  return {
    objective: objective.trim(),
    checks: checks.map((c) => c.check),
    dir: proposal.dir,
    risk: proposal.risk,
    provider: proposal.provider,
    model: proposal.model,
    allow_hosts: proposal.allow_hosts ?? [],
    allow_local: [...new Set(checks.flatMap((c) => c.allow_local ?? []))],
  };
}
