import { useEffect, useState } from "react";
import { describeCheck } from "@/agent/checkwords";
import type { GoalProposal, ProposedCheck } from "@/bridge/types";
import { shortPath, stripControl } from "@/lib/text";
import { riskLabel } from "@/lib/risk";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { GoalIcon } from "@/ui/icons";
import { TextArea } from "@/ui/input";

/** The goal that a model proposes from the chat. Nothing happens before the user starts it. */
export function GoalCard() {
  const shown = useAppState((s) => s.chatProposal);
  if (!shown) return null;
  return (
    <section
      aria-label="Turn this into a goal"
      data-testid="chat-goal-card"
      className="mx-3 mb-1 flex max-h-[60%] shrink-0 flex-col overflow-y-auto rounded-lg border border-accent bg-surface-raised px-3 py-2.5 text-xs"
    >
      <h3 className="flex items-center gap-2">
        <GoalIcon size={14} className="shrink-0 text-accent" />
        <span className="font-semibold">Turn this into a goal</span>
        <span className="min-w-0 truncate text-text-faint max-[640px]:hidden">
          A chat only reads. A goal can make changes.
        </span>
      </h3>
      {shown.state === "asking" ? <Asking /> : null}
      {shown.state === "failed" ? <Refused message={shown.problem.message} hint={shown.problem.hint} /> : null}
      {shown.state === "proposed" ? <Proposal proposal={shown.proposal} /> : null}
    </section>
  );
}

function Asking() {
  const app = useApp();
  return (
    <div className="mt-2 flex items-center gap-2 text-text-muted">
      <span className="breathe min-w-0 flex-1" role="status">
        The model reads the chat, and each check that it proposes is tried…
      </span>
      <Button look="quiet" data-testid="chat-goal-dismiss" onClick={() => app.chat.closeProposal()}>
        Cancel
      </Button>
    </div>
  );
}

function Refused({ message, hint }: { message: string; hint: string }) {
  const app = useApp();
  return (
    <div className="mt-2" role="alert">
      <p className="text-bad">
        {stripControl(message)} <span className="text-text-muted">{stripControl(hint)}</span>
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={() => void app.chat.openProposal()}>Try again</Button>
        <Button data-testid="chat-goal-edit" onClick={() => app.chat.editProposal("", [])}>
          Write it yourself…
        </Button>
        <span className="flex-1" />
        <Button look="quiet" data-testid="chat-goal-dismiss" onClick={() => app.chat.closeProposal()}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}

function Proposal({ proposal }: { proposal: GoalProposal }) {
  const app = useApp();
  const checks = proposal.checks ?? [];
  const [objective, setObjective] = useState(proposal.objective);
  const [ticked, setTicked] = useState<readonly ProposedCheck[]>(() => checks.filter((c) => c.ticked));
  const [isStarting, setStarting] = useState(false);
  useEffect(() => {
    setObjective(proposal.objective);
    setTicked((proposal.checks ?? []).filter((c) => c.ticked));
  }, [proposal]);
  const isReady = ticked.length > 0 && objective.trim() !== "" && !isStarting;
  const start = async () => {
    if (!isReady) return;
    setStarting(true);
    await app.chat.startGoal(objective, ticked);
    setStarting(false);
  };
  return (
    <div
      className="mt-2 flex flex-col gap-2"
      onKeyDown={(e) => {
        if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) {
          e.preventDefault();
          void start();
        } else if (e.code === "Escape") {
          e.stopPropagation();
          app.chat.closeProposal();
        }
      }}
    >
      <TextArea
        aria-label="What should be true at the end"
        data-testid="chat-goal-objective"
        rows={2}
        className="resize-y"
        value={objective}
        onChange={(e) => setObjective(e.target.value)}
      />
      <p className="text-text-faint" data-testid="chat-goal-scope">
        In {shortPath(proposal.dir) || "a new folder"}: {riskLabel(proposal.risk)}. {stripControl(proposal.why)}
      </p>
      <p>
        <b className="font-semibold">Proposed checks</b>{" "}
        <span className="text-text-faint">you decide; the agent cannot edit them</span>
      </p>
      {checks.length === 0 ? <p className="text-text-faint">No check was found. Add one in New goal.</p> : null}
      <ul className="flex flex-col gap-1">
        {checks.map((check, i) => (
          <Check
            key={i}
            check={check}
            on={ticked.includes(check)}
            onTick={(on) => setTicked(on ? [...ticked, check] : ticked.filter((c) => c !== check))}
          />
        ))}
      </ul>
      {(proposal.notes ?? []).map((note, i) => (
        <p key={i} className="text-text-faint">
          {stripControl(note)}
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" data-testid="chat-goal-start" disabled={!isReady} onClick={() => void start()}>
          {isStarting ? "Starting…" : "Start goal"} <Kbd onAccent>Ctrl↵</Kbd>
        </Button>
        <Button data-testid="chat-goal-edit" onClick={() => app.chat.editProposal(objective, ticked)}>
          Edit in New goal…
        </Button>
        <span className="flex-1" />
        <Button look="quiet" data-testid="chat-goal-dismiss" onClick={() => app.chat.closeProposal()}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}

interface CheckProps {
  check: ProposedCheck;
  on: boolean;
  onTick: (on: boolean) => void;
}

function Check({ check, on, onTick }: CheckProps) {
  const said = triedWords(check);
  return (
    <li data-testid="chat-goal-check" data-outcome={check.tried?.outcome ?? ""} title={stripControl(check.reason)}>
      <label className="flex flex-wrap items-baseline gap-x-2">
        <input
          type="checkbox"
          className="translate-y-0.5 accent-(--accent)"
          checked={on}
          onChange={(e) => onTick(e.target.checked)}
        />
        <span
          className={cx(
            "selectable min-w-0 flex-1 break-words whitespace-pre-wrap",
            check.check.type === "shell" && "font-mono",
          )}
        >
          {stripControl(describeCheck(check.check))}
        </span>
        <span className={cx("max-w-full break-words", said.tone)}>{said.words}</span>
      </label>
    </li>
  );
}

function triedWords({ tried, why }: ProposedCheck): { words: string; tone: string } {
  if (!tried) return { words: stripControl(why) || "not tried", tone: "text-text-faint" };
  if (tried.outcome === "fails_now") return { words: "fails now, as it should", tone: "text-ok" };
  if (tried.outcome === "passes_already") return { words: "passes already", tone: "text-warn" };
  return { words: `cannot run: ${stripControl(tried.detail)}`, tone: "text-bad" };
}
