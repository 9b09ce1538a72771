import { useState } from "react";
import type { ConnectionTest, PresetView } from "@/bridge/types";
import { clock, formatElapsed } from "@/lib/time";
import { useNow } from "@/ui/usenow";
import { CheckIcon, WarnIcon } from "@/ui/icons";
import { Button } from "@/ui/button";
import { ExternalLink } from "./externallink";
import { cx } from "@/ui/cx";

interface OutcomeProps {
  test: ConnectionTest;
  preset: PresetView | undefined;
}

/** The result of a test: success, or which step failed and what to do. */
export function Outcome({ test, preset }: OutcomeProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (test.ok && !test.message) {
    const n = test.models?.length ?? 0;
    return (
      <div role="status" data-testid="connect-status" data-state="ok" className="mt-3 rounded-md bg-ok-bg px-3 py-2">
        <p className="flex items-center gap-2 text-xs">
          <span className="text-ok">
            <CheckIcon size={14} />
          </span>
          <span>
            <b className="font-semibold">Connected.</b>{" "}
            <span className="text-text-muted">
              {test.model} called a tool in {formatElapsed(test.latency_ms)}.
              {n > 0 ? ` ${n} ${n === 1 ? "model" : "models"} can be used.` : ""}
            </span>
          </span>
        </p>
      </div>
    );
  }
  const bad = !test.ok;
  return (
    <div
      role="alert"
      data-testid="connect-status"
      data-state={bad ? "bad" : "warn"}
      data-step={test.step}
      className={cx("mt-3 rounded-md px-3 py-2 text-xs", bad ? "bg-bad-bg" : "bg-warn-bg")}
    >
      <p className={cx("flex items-center gap-2 font-semibold", bad ? "text-bad" : "text-warn")}>
        <WarnIcon size={14} /> {test.message}
      </p>
      <p className="selectable mt-1 pl-[22px] text-text-muted">{sentence(test.hint)}</p>
      <div className="mt-1.5 flex items-center gap-2 pl-[22px]">
        {preset?.key_page && test.step === "key" ? (
          <ExternalLink
            className={cx(
              "inline-flex h-7 items-center rounded-md border border-border-strong bg-surface-raised px-2.5",
              "font-medium hover:bg-surface-hover",
            )}
            href={preset.key_page}
          >
            Open {preset.name} API keys
          </ExternalLink>
        ) : null}
        {test.response ? (
          <Button look="quiet" data-testid="connect-response" onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? "Hide server response" : "Show server response"}
          </Button>
        ) : null}
        <span className="flex-1" />
        <span className="font-mono text-2xs text-text-muted">
          {[test.status || "", formatElapsed(test.latency_ms)].filter(Boolean).join(" · ")}
        </span>
      </div>
      {isOpen ? (
        <pre className="selectable mt-2 max-h-32 overflow-auto rounded bg-bg p-2 text-2xs whitespace-pre-wrap">
          {test.response}
        </pre>
      ) : null}
    </div>
  );
}

/** What is only assumed about the model, beside the fields that change it. */
export function Notes({ test }: { test: ConnectionTest }) {
  const notes = test.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <ul data-testid="connect-notes" className="mt-2 text-xs text-text-muted">
      {notes.map((n) => (
        <li key={n}>{n}</li>
      ))}
    </ul>
  );
}

/** Formats a hint from Go as a sentence. */
function sentence(hint: string): string {
  if (!hint) return "";
  return hint.charAt(0).toUpperCase() + hint.slice(1) + (/[.!?]$/.test(hint) ? "" : ".");
}

/** The time that a test takes, and after a few seconds what a silent server may mean. */
export function TestProgress({ address }: { address: string }) {
  const [began] = useState(() => Date.now());
  const passed = useNow(true) - began;
  const host = address.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return (
    <p role="status" data-testid="connect-progress" className="mt-3 text-xs text-text-muted tabular-nums">
      Testing {host}… {clock(Math.max(0, passed))}
      {passed > 4_000
        ? ". No answer yet: a local server may be loading the model. Cancel the test if the address is wrong."
        : ""}
    </p>
  );
}
