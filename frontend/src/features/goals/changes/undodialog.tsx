import { useEffect, useState } from "react";
import type { GoalView, UndoInput, UndoOutput } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

interface UndoDialogProps {
  view: GoalView;
  /** The paths to undo; none means everything. */
  input: UndoInput;
  onClose: () => void;
  onDone: () => void;
}

const verbs: Record<string, string> = { new: "remove", changed: "restore", deleted: "bring back" };

/** Lists what an undo would change and what it would leave unchanged, and runs the undo. */
export function UndoDialog({ view, input, onClose, onDone }: UndoDialogProps) {
  const app = useApp();
  const [plan, setPlan] = useState<UndoOutput | null>(null);
  const [force, setForce] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let wanted = true;
    void app.ask("ChangesAPI.Undo", view.id, { ...input, dry_run: true }).then((out) => {
      if (!wanted) return;
      if (out) setPlan(out);
      else onClose(); // a notice says why
    });
    return () => {
      wanted = false;
    };
  }, [app, view.id, input, onClose]);
  const done = plan?.done ?? [];
  const skipped = plan?.skipped ?? [];
  const count = done.length + force.length;
  const run = async () => {
    setBusy(true);
    const out = await app.folder.undo(view, { ...input, force: [...force] });
    setBusy(false);
    if (out) onDone();
  };
  const toggle = (path: string) => setForce((f) => (f.includes(path) ? f.filter((p) => p !== path) : [...f, path]));
  return (
    <Dialog
      open
      onClose={onClose}
      title={input.redo ? "Redo undone changes?" : "Undo changes?"}
      testid="undo-dialog"
      help="guide/undo"
      description="Lists what is brought back and what is left alone."
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" data-testid="undo-cancel" onClick={onClose}>
            Cancel
          </Button>
          <Button
            look="danger"
            data-testid="undo-confirm"
            disabled={!plan || count === 0 || busy}
            onClick={() => void run()}
          >
            {busy ? "Restoring…" : `${input.redo ? "Redo" : "Undo"} ${plural(count, "file")}`}
          </Button>
        </>
      }
    >
      {plan ? (
        <div className="flex flex-col gap-4 text-xs">
          <p className="text-text-muted">
            {done.length > 0
              ? `${plural(done.length, "file")} will be restored to ${plan.to}. You can undo this.`
              : "Nothing can be restored without overwriting edits that this goal did not make."}
          </p>
          <ul data-testid="undo-list" className="max-h-56 overflow-y-auto font-mono text-2xs">
            {done.map((d) => (
              <li key={d.path} className="truncate leading-5">
                <span className="inline-block w-20 text-text-faint">{verbs[d.change]}</span> {stripControl(d.path)}
                {d.note ? <span className="block whitespace-normal pl-20 text-warn">{d.note}</span> : null}
              </li>
            ))}
          </ul>
          {skipped.length > 0 ? (
            <fieldset className="rounded-md border border-warn p-3" data-testid="undo-conflicts">
              <legend className="px-1 font-medium text-warn">Left alone</legend>
              <ul className="flex max-h-40 flex-col gap-1.5 overflow-y-auto">
                {skipped.map((s) => (
                  <li key={s.path}>
                    <label className="flex items-start gap-2">
                      <input
                        type="checkbox"
                        className="mt-0.5"
                        aria-label={`Overwrite ${s.path}`}
                        disabled={!s.can_force}
                        checked={force.includes(s.path)}
                        onChange={() => toggle(s.path)}
                      />
                      <span className="min-w-0">
                        <span className="font-mono text-2xs break-all">{stripControl(s.path)}</span>
                        <span className="block text-text-faint">{s.why}</span>
                      </span>
                    </label>
                  </li>
                ))}
              </ul>
              <p className="mt-2 text-text-faint">Tick a file to overwrite it anyway.</p>
            </fieldset>
          ) : null}
        </div>
      ) : (
        <p aria-busy className="text-text-muted">
          Comparing the folder…
        </p>
      )}
    </Dialog>
  );
}
