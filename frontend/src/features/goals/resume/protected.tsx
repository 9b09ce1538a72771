import { useState } from "react";
import type { GoalView, ProtectedChange, ResumeInput } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { DiffText } from "@/ui/diff";
import { PanelBox } from "./box";

/** Shows the changes of protected files and asks for each file whether its change is accepted. */
export function ProtectedPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const refused = useAppState((s) => (s.protectedChanged?.id === view.id ? s.protectedChanged : null));
  const { answer, problem, reload } = useCall("GoalAPI.ProtectedState", view.id);
  const [accepted, setAccepted] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const changes = answer?.changes ?? [];
  const resume = async (paths: string[]) => {
    setBusy(true);
    const decision = decisionFor(changes, paths);
    const ok = await (refused ? refused.resume(decision) : app.goals.resume(view.id, decision));
    setBusy(false);
    if (!ok) void reload(); // a file may have changed again since it was shown
  };
  return (
    <PanelBox view={view} kind="protected_changed" title="Files that decide this goal have changed">
      <p className="mt-1 text-text-muted">
        Accept a change to use that version for the checks from now on. Other changed files are restored, and a copy of
        the changed version is saved; the activity shows where. New files are removed. Installed programs stay as they
        are.
      </p>
      {problem ? <p className="mt-2 text-bad">{problem.message}</p> : null}
      <ul className="mt-2 flex flex-col gap-2">
        {changes.map((change) => (
          <ChangeItem
            key={change.path}
            change={change}
            accepted={accepted.includes(change.path)}
            onAccept={(yes) =>
              setAccepted(yes ? [...accepted, change.path] : accepted.filter((p) => p !== change.path))
            }
          />
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          look="primary"
          data-testid="protected-continue"
          disabled={busy || !answer}
          onClick={() => void resume(accepted)}
        >
          {continueLabel(changes.length, accepted.length)}
        </Button>
        {changes.length > 0 && accepted.length === 0 ? (
          <Button
            data-testid="protected-accept-all"
            disabled={busy}
            onClick={() => void resume(changes.map((c) => c.path))}
          >
            {changes.length === 1 ? "Accept and continue" : `Accept all ${changes.length} and continue`}
          </Button>
        ) : null}
        {refused ? (
          <Button look="quiet" disabled={busy} onClick={() => app.set({ protectedChanged: null })}>
            Cancel
          </Button>
        ) : null}
      </div>
    </PanelBox>
  );
}

interface ChangeItemProps {
  change: ProtectedChange;
  accepted: boolean;
  onAccept: (yes: boolean) => void;
}

function ChangeItem({ change, accepted, onAccept }: ChangeItemProps) {
  return (
    <li data-testid="protected-change" data-path={change.path}>
      <p className="selectable">
        <span className="font-mono">{stripControl(change.path)}</span>
        <span className="text-text-muted"> · {stripControl(change.why)}</span>
      </p>
      <DiffText text={change.diff.trimEnd()} className="mt-1 max-h-32" />
      <label className="mt-1 flex items-center gap-2">
        <input
          type="checkbox"
          data-testid="protected-accept"
          data-path={change.path}
          className="accent-(--accent)"
          checked={accepted}
          onChange={(e) => onAccept(e.target.checked)}
        />
        Accept this change
      </label>
    </li>
  );
}

/** The user's decision: the accepted versions, as they were shown; all others are restored. */
function decisionFor(changes: ProtectedChange[], accepted: string[]): Partial<ResumeInput> {
  const versions = changes.filter((c) => accepted.includes(c.path)).map(({ path, sha256 }) => ({ path, sha256 }));
  return versions.length > 0 ? { accept_changes: versions } : { protected: "restore" };
}

function continueLabel(changes: number, accepted: number): string {
  if (changes === 0) return "Continue";
  if (accepted === 0) return "Restore and continue";
  if (accepted === changes) return "Accept and continue";
  return `Accept ${accepted}, restore ${changes - accepted}, and continue`;
}
