import { useEffect, useRef, useState } from "react";
import { IconButton } from "@/ui/button";
import { BackIcon, CloseIcon, ForwardIcon } from "@/ui/icons";
import type { TerminalScreen } from "./xterm";

interface SearchBoxProps {
  screen: TerminalScreen;
  isLight: boolean;
  onEnd: () => void;
}

/** xterm does not support transparency here, so dark and light terminals have their own pair of colours behind the text. */
function decorations(isLight: boolean) {
  return {
    matchBackground: isLight ? "#fbe3ab" : "#4a3a17",
    activeMatchBackground: isLight ? "#eebf52" : "#7d5f1e",
    matchOverviewRuler: "#e2b04f",
    activeMatchColorOverviewRuler: "#e2b04f",
  };
}

/** Searches the scrollback. Enter goes to older matches, Shift+Enter to newer ones, Esc closes. */
export function SearchBox({ screen, isLight, onEnd }: SearchBoxProps) {
  const [term, setTerm] = useState("");
  const [found, setFound] = useState<{ resultIndex: number; resultCount: number } | null>(null);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const results = screen.search.onDidChangeResults(setFound);
    input.current?.focus();
    return () => {
      results.dispose();
      screen.search.clearDecorations();
    };
  }, [screen]);

  const go = (back: boolean, text = term) => {
    const options = { decorations: decorations(isLight) };
    if (back) screen.search.findPrevious(text, options);
    else screen.search.findNext(text, options);
  };

  return (
    <div role="search" className="flex h-9 shrink-0 items-center gap-1 border-b border-border bg-surface-raised px-2">
      <input
        ref={input}
        data-testid="terminal-search"
        aria-label="Search in this terminal"
        placeholder="Search"
        className="h-6 min-w-0 flex-1 bg-transparent px-1 font-mono text-xs"
        value={term}
        onChange={(e) => {
          setTerm(e.target.value);
          if (e.target.value) go(true, e.target.value);
          else screen.search.clearDecorations();
        }}
        onKeyDown={(e) => {
          if (e.code === "Escape") onEnd();
          if (e.code === "Enter") go(!e.shiftKey);
        }}
      />
      <span className="text-xs text-text-faint tabular-nums" role="status">
        {term && found ? (found.resultCount ? `${found.resultIndex + 1} of ${found.resultCount}` : "no results") : ""}
      </span>
      <IconButton label="Previous match" onClick={() => go(true)} disabled={!term}>
        <BackIcon className="rotate-90" size={14} />
      </IconButton>
      <IconButton label="Next match" onClick={() => go(false)} disabled={!term}>
        <ForwardIcon className="rotate-90" size={14} />
      </IconButton>
      <IconButton label="Close search" hint="Esc" onClick={onEnd}>
        <CloseIcon size={14} />
      </IconButton>
    </div>
  );
}
