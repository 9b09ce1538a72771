import { useRef, useState } from "react";
import type { AnswerCall } from "@/bridge/types";
import { Arguments } from "@/agent/arguments";
import { Key, halfTouch, pressDigit, touch, useGuard } from "@/agent/cardparts";
import { stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";

interface AskCardProps {
  chat: string;
  ask: NonNullable<AnswerCall["ask"]>;
}

/** What an answer asks before it reads an address: the whole address, because it can carry data out. */
export function AskCard({ chat, ask }: AskCardProps) {
  const app = useApp();
  const card = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const guarded = useGuard();
  const off = busy || guarded;
  const hosts = (ask.hosts ?? []).map(stripControl).join(", ");
  const answer = async (allow: boolean, forChat = false) => {
    if (off) return;
    setBusy(true);
    await app.chat.answerAsk(chat, { request: ask.request, allow, for_chat: forChat });
    setBusy(false);
  };
  return (
    <div
      ref={card}
      tabIndex={-1}
      role="group"
      aria-label={`Needs you: read from ${hosts}?`}
      data-testid="chat-ask"
      className="w-full rounded-md border border-warn bg-warn-bg px-3 py-2.5 text-xs"
      onKeyDown={(e) =>
        pressDigit(e, [() => void answer(true), () => void answer(true, true), () => void answer(false)])
      }
    >
      <h3 className="text-sm font-semibold break-words text-warn">Read from {hosts}?</h3>
      <p className="mt-0.5 mb-1.5 text-text-muted">
        Whoever runs it sees the whole address. Nothing is sent before you allow it.
      </p>
      <Arguments raw={ask.arguments} className="max-h-40 overflow-auto" />
      <div className="flex flex-wrap items-center gap-1.5">
        <Button
          look="primary"
          data-testid="chat-ask-once"
          className={touch}
          disabled={off}
          onClick={() => void answer(true)}
        >
          Allow once <Key of="1" onAccent />
        </Button>
        <Button
          data-testid="chat-ask-chat"
          className={cx("max-w-full justify-center", touch)}
          title={`Also later addresses of ${hosts}, without asking`}
          disabled={off}
          onClick={() => void answer(true, true)}
        >
          <span className="truncate">Allow {hosts} in this chat</span> <Key of="2" />
        </Button>
        <Button data-testid="chat-ask-refuse" className={halfTouch} disabled={off} onClick={() => void answer(false)}>
          Refuse <Key of="3" />
        </Button>
      </div>
    </div>
  );
}
