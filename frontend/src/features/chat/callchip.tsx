import { useState } from "react";
import type { AnswerCall, Problem } from "@/bridge/types";
import { CallDetails } from "@/agent/calldetails";
import { CallIcon } from "@/agent/callicon";
import { callWords } from "@/agent/callwords";
import { asProblem } from "@/bridge/problem";
import { chatFolder } from "@/store/chatfolder";
import { useApp } from "@/store/context";
import type { StatusTone } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { formatElapsed } from "@/lib/time";
import { stripControl } from "@/lib/text";
import { AskCard } from "./askcard";

const tones: Record<AnswerCall["state"], StatusTone> = {
  running: "calm",
  asking: "warn",
  ok: "calm",
  failed: "bad",
  denied: "warn",
};
const labels: Partial<Record<AnswerCall["state"], string>> = {
  asking: "needs you",
  failed: "failed",
  denied: "not allowed",
};

interface CallChipProps {
  chat: string;
  message: number;
  call: AnswerCall;
}

/** Whether a call has no result yet. */
const isOpen = (call: AnswerCall) => call.state === "running" || call.state === "asking";

/** The result of a call, read when its chip is opened for the first time. */
function useResult({ chat, message, call }: CallChipProps) {
  const app = useApp();
  const [result, setResult] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const read = async () => {
    if (result !== null || isOpen(call)) return;
    try {
      setResult((await app.bridge.call("ChatAPI.Result", chat, message, call.id)).text);
      setProblem(null);
    } catch (reason) {
      setProblem(asProblem(reason));
    }
  };
  return { result, problem, read };
}

/** A tool call of an answer in words. It opens to what was called and what came back. */
export function CallChip(props: CallChipProps) {
  const app = useApp();
  const { call } = props;
  const [open, setOpen] = useState(false);
  const { result, problem, read } = useResult(props);
  const outcome = call.state === "running" || call.state === "asking" ? "" : call.state;
  const words = callWords({ ...call, outcome });
  const toggle = () => {
    setOpen(!open);
    if (!open) void read();
  };
  return (
    <div className={open || call.ask ? "w-full" : "max-w-full min-w-0"} data-testid="chat-call" data-state={call.state}>
      <button
        type="button"
        aria-expanded={open}
        data-testid="chat-call-open"
        className={cx(
          "inline-flex h-6 max-w-full items-center gap-1.5 rounded-md border border-border bg-surface-raised px-2 text-xs",
          "hover:border-border-strong",
        )}
        onClick={toggle}
      >
        <CallIcon step={{ ...call, outcome }} tone={tones[call.state]} />
        <span className={cx("shrink-0 text-text-muted", call.state === "running" && "breathe")}>{words.verb}</span>
        <span className={cx("truncate", words.code && "font-mono text-[0.94em]")}>{words.object}</span>
        {labels[call.state] ? (
          <span className={cx("shrink-0", call.state === "failed" ? "text-bad" : "text-warn")}>
            · {labels[call.state]}
          </span>
        ) : null}
      </button>
      {open ? (
        <div className="mt-1 mb-1.5 rounded-md border border-border bg-bg px-2.5 py-2" data-testid="chat-call-details">
          {problem ? <p className="text-xs text-bad">{problem.message}</p> : null}
          {call.state === "running" ? <p className="text-xs text-text-faint">It is running.</p> : null}
          <CallDetails
            step={{ ...call, outcome, result: result ?? stripControl(call.preview) }}
            onFile={({ path, line }) => void app.panes.openFile(path, line, chatFolder(app.state))}
          />
          {call.ms > 0 ? <p className="mt-1 text-2xs text-text-faint">{formatElapsed(call.ms)}</p> : null}
        </div>
      ) : null}
      {call.ask ? (
        <div className="mt-1.5">
          <AskCard key={call.ask.request} chat={props.chat} ask={call.ask} />
        </div>
      ) : null}
    </div>
  );
}
