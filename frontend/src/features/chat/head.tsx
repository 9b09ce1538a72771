import { useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { stripControl } from "@/lib/text";
import { answerText, type ShownChat } from "@/store/chats";
import { useApp, useAppState, useKeyLabel } from "@/store/context";
import { IconButton } from "@/ui/button";
import { ChevronIcon, CloseIcon, DotsIcon, PencilIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { Menu, type MenuItem } from "@/ui/menu";

/** The whole chat as Markdown. */
function asMarkdown(chat: ShownChat): string {
  const parts = chat.messages.map((m) =>
    m.role === "assistant" ? answerText(m) : `> ${m.text.replaceAll("\n", "\n> ")}`,
  );
  return [`# ${chat.chat?.title ?? "Chat"}`, ...parts].join("\n\n");
}

/** The title of the shown chat, and what can be done with all of it. */
export function Head() {
  const app = useApp();
  const chatKey = useKeyLabel("chat", "Ctrl+Shift+A");
  // Not the whole chat: it changes with each piece of an answer.
  const chat = useAppState((s) => s.chat.chat);
  const hasChat = useAppState((s) => s.chat.id !== "" && s.chat.messages.length > 0);
  const isList = useAppState((s) => s.chatList);
  const [renaming, setRenaming] = useState(false);
  const title = chat?.title || "New chat";
  const copy = async () => {
    if (await writeClipboard(asMarkdown(app.state.chat))) app.notices.done("Chat copied as Markdown");
  };
  const items: MenuItem[] = [
    { id: "chat-rename", label: "Rename…", disabled: !hasChat, takesFocus: true, run: () => setRenaming(true) },
    { id: "chat-copy-all", label: "Copy as Markdown", disabled: !hasChat, run: () => void copy() },
    { id: "chat-goal", label: "Turn this into a goal", disabled: !hasChat, run: () => void app.chat.openProposal() },
    { id: "chats", label: "All chats", run: () => app.set({ chatList: true }) },
    ...(chat?.allow_hosts ?? []).map((host) => ({
      id: `chat-forget-${host}`,
      label: `Ask again before reading ${stripControl(host)}`,
      run: () => void app.chat.forgetHost(host),
    })),
    null,
    {
      id: "chat-delete",
      label: "Delete",
      danger: true,
      disabled: !chat,
      run: () => {
        if (chat) app.chat.delete(chat);
      },
    },
  ];
  return (
    <header className="flex h-10 shrink-0 items-center gap-0.5 border-b border-border px-2 max-[640px]:h-12">
      {renaming && chat ? (
        <RenameField
          title={title}
          onEnd={(next) => {
            setRenaming(false);
            if (next && next !== title) void app.chat.rename(chat.id, next);
          }}
        />
      ) : (
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isList}
            data-testid="chat-title"
            title="Show all chats"
            className="flex max-w-full items-center gap-1.5 rounded-md px-2 py-1 text-sm font-semibold hover:bg-surface-hover"
            onClick={() => app.set({ chatList: !isList })}
          >
            <span className="truncate">{isList ? "All chats" : stripControl(title)}</span>
            <ChevronIcon size={12} className={isList ? "shrink-0 -rotate-90" : "shrink-0 rotate-90"} />
          </button>
        </h2>
      )}
      <IconButton label="New chat" data-testid="chat-new" onClick={() => app.chat.begin()}>
        <PencilIcon size={14} />
      </IconButton>
      <Menu items={items}>
        <button
          type="button"
          aria-label="Menu of the chat"
          data-testid="chat-menu"
          className="inline-flex size-7 items-center justify-center rounded-md text-text-muted hover:bg-surface-hover hover:text-text"
        >
          <DotsIcon size={15} />
        </button>
      </Menu>
      <IconButton label="Close the chat" hint={chatKey} data-testid="chat-close" onClick={() => app.chat.close()}>
        <CloseIcon size={15} />
      </IconButton>
    </header>
  );
}

interface RenameFieldProps {
  title: string;
  /** Called with the new title, "" to keep the old one. */
  onEnd: (title: string) => void;
}

/** Enter and leaving the field save; Esc does not. */
export function RenameField({ title, onEnd }: RenameFieldProps) {
  const [text, setText] = useState(title);
  return (
    <Input
      autoFocus
      aria-label="Title of the chat"
      data-testid="chat-title-field"
      className="min-w-0 flex-1"
      value={text}
      onFocus={(e) => e.target.select()}
      onChange={(e) => setText(e.target.value)}
      onBlur={() => onEnd(text.trim())}
      onKeyDown={(e) => {
        if (e.code === "Enter") onEnd(text.trim());
        if (e.code !== "Escape") return;
        e.stopPropagation();
        onEnd("");
      }}
    />
  );
}
