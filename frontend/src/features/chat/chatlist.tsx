import { useCallback, useEffect, useRef, useState } from "react";
import type { ChatHit } from "@/bridge/types";
import { formatAge } from "@/lib/time";
import { money } from "@/lib/bytes";
import { stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { openWorkspace } from "@/store/workspaces";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CloseIcon, PencilIcon, SearchIcon } from "@/ui/icons";
import { useNow } from "@/ui/usenow";
import { RenameField } from "./head";

const searchDelayMs = 150;
const pageSize = 50;

/** The chats that a search finds, newest first, in pages. */
function useChats(query: string) {
  const app = useApp();
  const workspace = useAppState((s) => openWorkspace(s)?.id ?? "");
  const [chats, setChats] = useState<readonly ChatHit[] | null>(null);
  const [more, setMore] = useState(false);
  const newest = useRef(0);
  const load = useCallback(
    async (after = "") => {
      newest.current += 1;
      const asked = newest.current;
      const page = await app.ask("ChatAPI.List", { query, workspace, limit: pageSize, after });
      if (asked !== newest.current || !page) return;
      setChats((was) => [...(after ? (was ?? []) : []), ...(page.chats ?? [])]);
      setMore(page.more);
    },
    [app, query, workspace],
  );
  useEffect(() => {
    const timer = setTimeout(() => void load(), query ? searchDelayMs : 0);
    return () => clearTimeout(timer);
  }, [load, query]);
  return { chats, more, load };
}

/** All chats of the workspace: found by their words, renamed, deleted. */
export function ChatList() {
  const app = useApp();
  const [query, setQuery] = useState("");
  const hidden = useAppState((s) => s.chatsHidden);
  const { chats: found, more, load } = useChats(query.trim());
  const chats = found?.filter((c) => !hidden.includes(c.id));
  const last = found?.at(-1)?.id ?? "";
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="chat-list">
      <label className="m-2 flex h-8 shrink-0 items-center gap-2 rounded-md border border-border-strong bg-bg px-2.5 max-[640px]:h-11">
        <SearchIcon size={13} className="shrink-0 text-text-faint" />
        <input
          autoFocus
          data-testid="chat-search"
          aria-label="Search chats"
          placeholder="Search in all messages"
          className="min-w-0 flex-1 bg-transparent text-xs outline-none"
          value={query}
          onChange={(e) => setQuery(e.target.value)}
          onKeyDown={(e) => {
            if (e.code !== "Escape") return;
            e.stopPropagation();
            if (query) setQuery("");
            else app.set({ chatList: false });
          }}
        />
      </label>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {(chats ?? []).map((chat) => (
          <ChatLine key={chat.id} chat={chat} onChange={() => void load()} />
        ))}
      </ul>
      {chats?.length === 0 ? (
        <p className="px-4 pb-4 text-xs text-text-faint" role="status">
          {query ? `No chat contains “${query.trim()}”.` : "No chats in this workspace yet."}
        </p>
      ) : null}
      {more ? (
        <Button look="quiet" className="m-2" data-testid="chat-list-more" onClick={() => void load(last)}>
          Show more
        </Button>
      ) : null}
    </div>
  );
}

function ChatLine({ chat, onChange }: { chat: ChatHit; onChange: () => void }) {
  const app = useApp();
  const isShown = useAppState((s) => s.chat.id === chat.id);
  const now = useNow(true);
  const [renaming, setRenaming] = useState(false);
  const title = chat.title || "New chat";
  if (renaming) {
    return (
      <li className="flex items-center py-0.5">
        <RenameField
          title={title}
          onEnd={(next) => {
            setRenaming(false);
            if (next && next !== title) void app.chat.rename(chat.id, next).then(onChange);
          }}
        />
      </li>
    );
  }
  return (
    <li
      data-testid="chat-line"
      data-chat={chat.id}
      className={cx("group flex items-center rounded-md hover:bg-surface-hover", isShown && "bg-surface-hover")}
    >
      <button
        type="button"
        aria-current={isShown ? "true" : undefined}
        data-testid="chat-line-open"
        className="min-w-0 flex-1 px-2 py-1.5 text-left"
        onClick={() => {
          app.chat.show(chat.id);
          app.chat.open();
        }}
      >
        <span className="block truncate text-xs font-medium text-text">{stripControl(title)}</span>
        <span className="block truncate text-2xs text-text-faint tabular-nums">
          {formatAge(chat.updated_at, now)}
          {chat.spent.usd > 0 ? ` · ${money(chat.spent.usd)}` : ""}
          {chat.excerpt ? ` · ${stripControl(chat.excerpt)}` : ""}
        </span>
      </button>
      <span className="flex shrink-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
        <IconButton label={`Rename ${title}`} data-testid="chat-line-rename" onClick={() => setRenaming(true)}>
          <PencilIcon size={13} />
        </IconButton>
        <IconButton label={`Delete ${title}`} data-testid="chat-line-delete" onClick={() => app.chat.delete(chat)}>
          <CloseIcon size={13} />
        </IconButton>
      </span>
    </li>
  );
}
