import { useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Input } from "@/ui/input";

/**
 * A question that ssh asks before it connects: a password, or whether a host's key is
 * correct. The answer goes to ssh and is not displayed.
 */
export function SSHPrompt({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  const [text, setText] = useState("");
  const [save, setSave] = useState(pane.ask_again); // a saved answer that is wrong is replaced
  const yesNo = !pane.secret;
  const answer = (text: string, ok: boolean) =>
    void app.ask("SSHAPI.Answer", { pane: pane.id, ask: pane.ask, text, ok, save: save && !yesNo });
  return (
    <form
      className="shrink-0 border-t border-border bg-surface-raised px-3 py-2"
      data-testid="terminal-ask"
      onSubmit={(e) => {
        e.preventDefault();
        if (!yesNo) answer(text, true);
      }}
    >
      <label className="block">
        <span
          className={cx(
            "selectable block max-h-40 overflow-y-auto pb-2 font-mono text-xs whitespace-pre-wrap",
            "text-text",
          )}
        >
          {pane.ask}
        </span>
        {yesNo ? null : (
          <Input
            autoFocus
            type="password"
            autoComplete="off"
            data-testid="ask-text"
            value={text}
            onChange={(e) => setText(e.target.value)}
            onKeyDown={(e) => e.code === "Escape" && answer("", false)}
          />
        )}
      </label>
      {yesNo ? null : <SaveAnswer refused={pane.ask_again} save={save} onChange={setSave} />}
      <div className="flex items-center gap-2 pt-2">
        <span className="flex-1 text-xs text-text-faint">
          This prompt comes from ssh. Your answer goes to {pane.server}.
        </span>
        <Button look="quiet" data-testid="ask-no" onClick={() => (yesNo ? answer("no", true) : answer("", false))}>
          {yesNo ? "No" : "Cancel"}
        </Button>
        {yesNo ? (
          <Button look="primary" autoFocus data-testid="ask-yes" onClick={() => answer("yes", true)}>
            Yes, trust this host
          </Button>
        ) : (
          <Button look="primary" type="submit" data-testid="ask-send">
            Answer
          </Button>
        )}
      </div>
    </form>
  );
}

interface SaveAnswerProps {
  /** ssh refused the saved answer. */
  refused: boolean;
  save: boolean;
  onChange: (save: boolean) => void;
}

function SaveAnswer({ refused, save, onChange }: SaveAnswerProps) {
  return (
    <>
      {refused ? (
        <p role="alert" className="pt-2 text-xs text-warn" data-testid="ask-again">
          The saved answer was refused.
        </p>
      ) : null}
      <label className="flex items-center gap-2 pt-2 text-xs">
        <input
          type="checkbox"
          className="accent-(--accent)"
          data-testid="ask-save"
          checked={save}
          onChange={(e) => onChange(e.target.checked)}
        />
        Save the answer for this server
      </label>
    </>
  );
}
