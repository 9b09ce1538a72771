import { useState } from "react";
import { oneLine, stripControl } from "@/lib/text";
import { useAppState } from "@/store/context";
import { noStreamedText } from "@/store/streamedtext";
import { cx } from "@/ui/cx";
import { SilentTurn } from "./silentturn";
import { SparkIcon } from "@/ui/icons";
import { AgentText } from "@/agent/text";

/** The model's current thinking and text. The thinking is folded to its newest line until the user opens it. */
export function LiveWords({ className, testid }: { className: string; testid: string }) {
  const { text, thinking } = useAppState((s) => s.streamed[s.detail.id] ?? noStreamedText);
  if (!text && !thinking) return <SilentTurn className={className} />;
  return (
    <div className={className} data-testid={testid} aria-live="off">
      <SparkIcon size={14} className="mt-[3px] shrink-0 text-agent" />
      <div className="min-w-0 text-text-muted">
        {thinking ? <LiveThinking text={thinking} isOver={text !== ""} /> : null}
        {text ? <AgentText text={text} className="max-w-[78ch]" testid="live-said" /> : null}
      </div>
    </div>
  );
}

/** The last line of the thinking, or the end of it if it is long. */
const newestWords = (text: string) => oneLine(text.trimEnd().split("\n").at(-1) ?? "").slice(-160);

function LiveThinking({ text, isOver }: { text: string; isOver: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="text-xs text-text-faint" data-testid="live-thinking" data-open={open}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex max-w-full gap-1.5 text-left leading-5 hover:text-text-muted"
      >
        <span className={cx("shrink-0 font-medium", !isOver && "breathe")}>
          {open ? "Hide thinking" : isOver ? "Thinking" : "Thinking…"}
        </span>
        {open ? null : (
          <span className="flex min-w-0 justify-end overflow-hidden whitespace-nowrap italic">
            {stripControl(newestWords(text))}
          </span>
        )}
      </button>
      {open ? (
        <p className="selectable mt-1 max-w-[78ch] border-l-2 border-border-strong pl-2.5 break-words whitespace-pre-wrap">
          {stripControl(text)}
        </p>
      ) : null}
    </div>
  );
}
