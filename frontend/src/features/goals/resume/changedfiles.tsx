import { useRef, useState, type KeyboardEvent } from "react";
import type { GoalView, ProtectedChange, ResumeInput } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { changedRequest } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Key, halfTouch, pressDigit, touch, useFocusOnDemand, useGuard } from "@/agent/cardparts";
import { Button } from "@/ui/button";
import { DiffText } from "@/ui/diff";

/**
 * Asks about changed files that decide the goal: keep the changes, put them back, or stop. Nothing is put back before
 * the user says so.
 */
export function ChangedFilesCard({ view }: { view: GoalView }) {
  const app = useApp();
  const refused = useAppState((s) => (s.protectedChanged?.id === view.id ? s.protectedChanged : null));
  const { answer, problem, reload } = useCall("GoalAPI.ProtectedState", view.id);
  const [dropped, setDropped] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const card = useRef<HTMLElement>(null);
  const guarded = useGuard();
  useFocusOnDemand(card, changedRequest(view.id));
  const changes = answer?.changes ?? [];
  const kept = changes.filter((c) => !dropped.includes(c.path));
  const off = busy || guarded || !answer;
  const run = async (act: () => Promise<boolean>) => {
    if (off) return;
    setBusy(true);
    const ok = await act();
    setBusy(false);
    if (!ok) void reload(); // a file may have changed again since it was shown
  };
  const resume = (part: Partial<ResumeInput>) =>
    void run(() => (refused ? refused.resume(part) : app.goals.resume(view.id, part)));
  const keep = () => resume(keepDecision(changes, kept));
  const putBack = () => resume({ protected: "restore" });
  const stop = () => void run(async () => (await app.ask("GoalAPI.Abort", view.id)) ?? false);
  const canStop = view.status === "paused";
  const press = (e: KeyboardEvent) => pressDigit(e, [keep, putBack, canStop && stop]);
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label="Needs you"
      data-testid="answer"
      data-kind="changed_files"
      data-request={changedRequest(view.id)}
      className="mt-2.5 w-full rounded-md border border-warn bg-warn-bg px-3 py-2.5 text-xs"
      onKeyDown={press}
    >
      <h3 className="text-sm font-semibold break-words text-warn">Needs you: {title(changes)}</h3>
      {problem ? <p className="mt-2 text-bad">{problem.message}</p> : null}
      <ul className="mt-1 flex flex-col gap-1.5">
        {changes.map((change) => (
          <ChangedFile
            key={change.path}
            change={change}
            isOnly={changes.length === 1}
            kept={kept.includes(change)}
            onKeep={(yes) => setDropped(yes ? dropped.filter((p) => p !== change.path) : [...dropped, change.path])}
          />
        ))}
      </ul>
      {view.tampered && view.account ? (
        <p data-testid="change-reason" className="selectable mt-1.5 break-words whitespace-pre-wrap">
          <span className="text-text-faint">The agent says: </span>
          {stripControl(view.account)}
        </p>
      ) : null}
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        <Button
          look="primary"
          data-testid="change-keep"
          className={touch}
          disabled={off || (changes.length > 0 && kept.length === 0)}
          title="The present version counts from now on, and the receipt names it"
          onClick={keep}
        >
          {keepLabel(changes.length, kept.length)} <Key of="1" onAccent />
        </Button>
        <Button
          data-testid="change-put-back"
          className={halfTouch}
          disabled={off}
          title="Only these files are put back. A copy of the changed version is saved; the activity shows where"
          onClick={putBack}
        >
          {changes.length > 1 ? "Put them back" : "Put it back"} <Key of="2" />
        </Button>
        {canStop ? (
          <Button look="quiet" data-testid="change-stop" className={halfTouch} disabled={off} onClick={stop}>
            Stop <Key of="3" />
          </Button>
        ) : null}
        {refused && !view.tampered ? (
          <Button look="quiet" disabled={busy} onClick={() => app.set({ protectedChanged: null })}>
            Cancel
          </Button>
        ) : null}
      </div>
    </section>
  );
}

interface ChangedFileProps {
  change: ProtectedChange;
  isOnly: boolean;
  kept: boolean;
  onKeep: (yes: boolean) => void;
}

/** One changed file: why it decides, and its diff on a click. */
function ChangedFile({ change, isOnly, kept, onKeep }: ChangedFileProps) {
  const [open, setOpen] = useState(isOnly);
  const path = stripControl(change.path);
  return (
    <li data-testid="protected-change" data-path={change.path}>
      <div className="flex items-baseline gap-2">
        {isOnly ? null : (
          <label className="flex items-center justify-center self-center max-[640px]:min-w-11">
            <input
              type="checkbox"
              data-testid="change-kept"
              aria-label={`Keep the change of ${path}`}
              className="accent-(--accent)"
              checked={kept}
              onChange={(e) => onKeep(e.target.checked)}
            />
          </label>
        )}
        <button
          type="button"
          data-testid="change-diff-open"
          aria-expanded={open}
          className="min-w-0 text-left break-words"
          onClick={() => setOpen(!open)}
        >
          <span className="font-mono underline decoration-dotted">{path}</span>
          <span className="text-text-muted">: {stripControl(change.why)}</span>
        </button>
      </div>
      {open ? <DiffText text={change.diff.trimEnd()} className="mt-1 max-h-32" /> : null}
    </li>
  );
}

function title(changes: readonly ProtectedChange[]): string {
  const [first, ...others] = changes;
  if (!first) return "what decides about the goal was changed, and is as before now";
  if (others.length === 0) return `${stripControl(first.path)} decides about the goal and was changed`;
  return `${changes.length} files that decide about the goal were changed`;
}

/** The user's decision: the kept versions, as they were shown; the others are put back. */
function keepDecision(changes: readonly ProtectedChange[], kept: readonly ProtectedChange[]): Partial<ResumeInput> {
  const versions = kept.map(({ path, sha256 }) => ({ path, sha256 }));
  if (kept.length === changes.length) return { accept_changes: versions };
  return { accept_changes: versions, protected: "restore" };
}

function keepLabel(changes: number, kept: number): string {
  if (changes === 0) return "Continue";
  if (kept < changes && kept > 0) return `Keep ${kept}, put back ${changes - kept}`;
  return changes > 1 ? "Keep the changes" : "Keep the change";
}
