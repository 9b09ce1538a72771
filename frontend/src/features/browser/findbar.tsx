import { useEffect, useRef, useState } from "react";
import type { FoundText } from "@/bridge/types";
import { useApp } from "@/store/context";
import { IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { ChevronIcon, CloseIcon } from "@/ui/icons";
import { Input } from "@/ui/input";

interface FindBarProps {
  pane: string;
  onEnd: () => void;
}

/** Finds text in the page. */
export function FindBar({ pane, onEnd }: FindBarProps) {
  const app = useApp();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [found, setFound] = useState<FoundText | null>(null);

  useEffect(() => field.current?.focus(), []);
  const find = async (what: string, step: number) => {
    const answer = await app.ask("BrowserAPI.Find", pane, what, step);
    if (answer) setFound(what ? answer : null);
  };
  const end = () => {
    void find("", 0);
    onEnd();
  };

  return (
    <div
      data-testid="find"
      className={cx(
        "appear relative flex max-w-full items-center gap-1 rounded-md border",
        "border-border-strong bg-surface-raised p-1 shadow-pop",
      )}
    >
      <Input
        ref={field}
        data-testid="find-input"
        aria-label="Find in the page"
        placeholder="Find"
        className="h-7 w-48 px-2 text-xs"
        value={text}
        onChange={(e) => {
          setText(e.target.value);
          void find(e.target.value, 0);
        }}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.code === "Escape") end();
          if (e.code === "Enter" || e.code === "F3") {
            e.preventDefault();
            void find(text, e.shiftKey ? -1 : 1);
          }
        }}
      />
      <span className="min-w-12 text-center text-2xs text-text-faint" data-testid="find-count" role="status">
        {found ? (found.count > 0 ? `${found.index} / ${found.count}` : "none") : ""}
      </span>
      <IconButton label="Previous match" data-testid="find-before" onClick={() => void find(text, -1)}>
        <ChevronIcon size={13} className="-rotate-90" />
      </IconButton>
      <IconButton label="Next match" data-testid="find-next" onClick={() => void find(text, 1)}>
        <ChevronIcon size={13} className="rotate-90" />
      </IconButton>
      <IconButton label="Close" data-testid="find-close" onClick={end}>
        <CloseIcon size={13} />
      </IconButton>
    </div>
  );
}
