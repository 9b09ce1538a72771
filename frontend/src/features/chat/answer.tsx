import { memo } from "react";
import type { AnswerPart, ChatMessage } from "@/bridge/types";
import { AgentText } from "@/agent/text";
import { oneLine, stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { ReloadIcon, WarnIcon } from "@/ui/icons";
import { CallChip } from "./callchip";

/** Text parts stand alone; the calls between two texts share a row. */
type Group = { text: string; at: number } | { calls: { part: AnswerPart; at: number }[]; at: number };

function groups(parts: readonly AnswerPart[]): Group[] {
  const list: Group[] = [];
  parts.forEach((part, at) => {
    const last = list.at(-1);
    if (!part.call) list.push({ text: part.text, at });
    else if (last && "calls" in last) last.calls.push({ part, at });
    else list.push({ calls: [{ part, at }], at });
  });
  return list;
}

interface AnswerProps {
  chat: string;
  message: ChatMessage;
  /** What the model thinks now. */
  thinking: string;
  isLast: boolean;
}

/** One answer of a model: its words and its tool calls, in their order, and how it ended. */
export const Answer = memo(function Answer({ chat, message, thinking, isLast }: AnswerProps) {
  const parts = message.parts ?? [];
  const isWriting = message.state === "answering";
  return (
    <div className="flex flex-col gap-2" aria-busy={isWriting}>
      {groups(parts).map((g) =>
        "calls" in g ? (
          <div key={g.at} className="flex flex-wrap gap-1.5">
            {g.calls.map(({ part, at }) =>
              part.call ? <CallChip key={at} chat={chat} message={message.id} call={part.call} /> : null,
            )}
          </div>
        ) : (
          <AgentText key={g.at} text={g.text} copy className="text-text" testid="chat-words" />
        ),
      )}
      {isWriting ? <Progress message={message} thinking={thinking} /> : null}
      <Ending message={message} isLast={isLast} />
    </div>
  );
});

/** What happens before the next words come. */
function Progress({ message, thinking }: { message: ChatMessage; thinking: string }) {
  if (message.waiting) {
    return (
      <p className="text-xs text-warn" data-testid="chat-waiting">
        {stripControl(message.waiting)}
      </p>
    );
  }
  const words = oneLine(thinking.trimEnd().split("\n").at(-1) ?? "").slice(-120);
  return (
    <p className="flex min-w-0 items-center gap-2 text-xs text-text-faint" data-testid="chat-progress">
      <span aria-hidden className="breathe inline-block h-3.5 w-1.5 shrink-0 rounded-[1px] bg-accent" />
      {words ? (
        <span className="truncate italic">{stripControl(words)}</span>
      ) : (message.parts ?? []).length === 0 ? (
        "Waiting for the first words…"
      ) : null}
    </p>
  );
}

/** How an answer ended, if not well, with what to do next. */
function Ending({ message, isLast }: { message: ChatMessage; isLast: boolean }) {
  const app = useApp();
  const again = (
    <Button data-testid="chat-retry" onClick={() => void app.chat.regenerate(message.id)}>
      <ReloadIcon size={13} /> Try again
    </Button>
  );
  if (message.state === "stopped") return <p className="text-xs text-text-faint">You stopped this answer.</p>;
  if (message.state === "interrupted" || message.state === "failed") {
    const problem = message.problem || "Goalpost ended while this answer was written.";
    return (
      <div role="alert" data-testid="chat-problem" className="rounded-md bg-bad-bg px-3 py-2 text-xs">
        <p className="flex gap-2 text-bad">
          <WarnIcon size={14} className="mt-0.5 shrink-0" />
          <span className="selectable min-w-0 break-words">{stripControl(problem)}</span>
        </p>
        {message.hint ? <p className="selectable mt-0.5 pl-[22px] text-text">{stripControl(message.hint)}</p> : null}
        {isLast ? (
          <div className="mt-1.5 flex flex-wrap gap-2 pl-[22px]">
            {again}
            <Button look="quiet" onClick={() => app.openSettings("Models")}>
              Models…
            </Button>
          </div>
        ) : null}
      </div>
    );
  }
  if (message.state !== "out_of_rounds") return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs text-warn" data-testid="chat-out-of-rounds">
      <span className="min-w-0">It used its tools as often as it may before you write again.</span>
      {isLast ? (
        <Button data-testid="chat-go-on" onClick={() => void app.chat.say("Go on.")}>
          Go on
        </Button>
      ) : null}
    </div>
  );
}
