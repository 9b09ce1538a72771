import { useState } from "react";
import type { Bookmark, PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon } from "@/ui/icons";
import { Popover } from "./popover";
import { Profiles } from "./profiles";
import { Input } from "@/ui/input";

interface LibraryProps {
  pane: PaneInfo;
  onClose: () => void;
}

/** The user's bookmarks, history and profiles. */
export function BookmarksPanel({ pane, onClose }: LibraryProps) {
  const app = useApp();
  const [words, setWords] = useState("");
  const bookmarks = useAnswer("BrowserAPI.Bookmarks").answer ?? [];
  const history = useAnswer("BrowserAPI.History", words, 100);
  const visits = history.answer ?? [];

  const go = (url: string) => {
    onClose();
    void app.ask("BrowserAPI.Navigate", pane.id, url);
  };
  /** Deletes the visits of an address, or all of them if it is "". */
  const forget = async (url: string) => {
    if (await app.ask("BrowserAPI.ClearHistory", url)) await history.reload();
  };
  const fits = (b: Bookmark) => `${b.url} ${b.title}`.toLowerCase().includes(words.toLowerCase());

  return (
    <Popover data-testid="library" className="appear flex min-h-0 w-96 flex-1 flex-col text-xs" onClose={onClose}>
      <header className="flex items-center gap-2 border-b border-border p-2">
        <Input
          autoFocus
          data-testid="library-search"
          aria-label="Search bookmarks and history"
          placeholder="Search"
          className="h-7 flex-1 px-2"
          value={words}
          onChange={(e) => setWords(e.target.value)}
        />
        <IconButton label="Close" data-testid="library-close" onClick={onClose}>
          <CloseIcon size={13} />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        <h3 className="px-1 text-2xs font-semibold text-text-faint uppercase">Bookmarks</h3>
        {bookmarks.filter(fits).map((b) => (
          <LinkRow key={b.url} testid="bookmark" url={b.url} title={b.title} onGo={go} />
        ))}
        <div className="mt-3 flex items-center justify-between px-1">
          <h3 className="text-2xs font-semibold text-text-faint uppercase">History</h3>
          <Button
            look="quiet"
            data-testid="history-clear"
            disabled={visits.length === 0}
            onClick={() => void forget("")}
          >
            Clear
          </Button>
        </div>
        {visits.map((v) => (
          <LinkRow
            key={v.url}
            testid="visit"
            url={v.url}
            title={v.title}
            onGo={go}
            onRemove={() => void forget(v.url)}
          />
        ))}
        <Profiles pane={pane} />
      </div>
    </Popover>
  );
}

interface LinkRowProps {
  testid: string;
  url: string;
  title: string;
  onGo: (url: string) => void;
  /** Removes it from the history. */
  onRemove?: () => void;
}

function LinkRow({ testid, url, title, onGo, onRemove }: LinkRowProps) {
  return (
    <div className="flex h-7 items-center gap-1 rounded-sm hover:bg-surface-hover">
      <button
        type="button"
        data-testid={testid}
        data-url={url}
        className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-sm px-1 text-left"
        onClick={() => onGo(url)}
      >
        <span className="max-w-[45%] truncate">{title || url}</span>
        <span className="min-w-0 flex-1 truncate text-text-faint">{url}</span>
      </button>
      {onRemove ? (
        <IconButton
          label="Remove from the history"
          data-testid={`${testid}-remove`}
          data-url={url}
          className="size-6 text-text-faint"
          onClick={onRemove}
        >
          <CloseIcon size={11} />
        </IconButton>
      ) : null}
    </div>
  );
}
