import { useState } from "react";
import type { ChangedFile, CommitOffer, CommitOutput } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input, TextArea } from "@/ui/input";

interface CommitDialogProps {
  goal: string;
  offer: CommitOffer;
  files: readonly ChangedFile[];
  onClose: () => void;
}

/** Commits the changes of a goal: message, branch and files. */
export function CommitDialog({ goal, offer, files, onClose }: CommitDialogProps) {
  const app = useApp();
  const [message, setMessage] = useState(offer.message);
  const [branch, setBranch] = useState(offer.branch);
  const [left, setLeft] = useState<readonly string[]>(files.filter((f) => f.ignored).map((f) => f.path));
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<CommitOutput | null>(null);
  const chosen = files.filter((f) => !left.includes(f.path));
  const canCommit = chosen.length > 0 && branch.trim() !== "" && message.trim() !== "" && !busy;
  const isCurrent = branch.trim() === offer.current;
  const run = async () => {
    setBusy(true);
    const paths = chosen.length === files.length ? [] : chosen.map((f) => f.path);
    const out = await app.ask("ChangesAPI.Commit", goal, { paths, branch: branch.trim(), message });
    setBusy(false);
    if (out) setDone(out);
  };
  const toggle = (path: string) => setLeft((l) => (l.includes(path) ? l.filter((p) => p !== path) : [...l, path]));
  if (done) return <Committed out={done} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Commit changes"
      testid="commit-dialog"
      help="guide/undo"
      description="Commits what the goal changed to a branch."
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.ctrlKey && canCommit) void run();
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint max-[640px]:basis-full">
            Hooks, filters and signing do not run.
          </span>
          <Button look="quiet" data-testid="commit-cancel" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="commit-confirm" disabled={!canCommit} onClick={() => void run()}>
            {busy ? "Committing…" : `Commit ${plural(chosen.length, "file")}`} <Kbd onAccent>Ctrl+Enter</Kbd>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Message" name="message">
          {(c) => (
            <TextArea
              {...c}
              data-testid="commit-message"
              rows={3}
              className="block resize-y"
              value={message}
              onChange={(e) => setMessage(e.target.value)}
            />
          )}
        </Field>
        <Field
          label="Branch"
          name="branch"
          hint={
            isCurrent
              ? "This branch is checked out: the commit is added to it, and the index is updated."
              : "A new branch. What is checked out, the index and stashes stay as they are."
          }
        >
          {(c) => (
            <Input
              {...c}
              data-testid="commit-branch"
              spellCheck={false}
              className="font-mono text-xs"
              value={branch}
              onChange={(e) => setBranch(e.target.value)}
            />
          )}
        </Field>
        {offer.current && !isCurrent ? (
          <button
            type="button"
            data-testid="commit-current"
            className="-mt-3 self-start text-xs text-accent hover:underline"
            onClick={() => setBranch(offer.current)}
          >
            Use the current branch {stripControl(offer.current)}
          </button>
        ) : null}
        <fieldset className="min-w-0">
          <legend className="mb-1 text-xs font-medium">Files</legend>
          <ul className="max-h-56 overflow-y-auto" data-testid="commit-files">
            {files.map((f) => (
              <li key={f.path}>
                <label className="flex items-center gap-2 py-0.5 font-mono text-2xs">
                  <input
                    type="checkbox"
                    data-testid="commit-file"
                    disabled={f.ignored}
                    checked={!left.includes(f.path)}
                    onChange={() => toggle(f.path)}
                  />
                  <span className="w-14 shrink-0 text-text-faint">{f.change}</span>
                  <span className="min-w-0 truncate" title={stripControl(f.path)}>
                    {stripControl(f.path)}
                  </span>
                  {f.ignored ? <span className="shrink-0 text-text-faint">ignored by git</span> : null}
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
      </div>
    </Dialog>
  );
}

/** The result of a commit: what was committed, and what was not. */
function Committed({ out, onClose }: { out: CommitOutput; onClose: () => void }) {
  const skipped = out.skipped ?? [];
  const mixed = out.mixed ?? [];
  return (
    <Dialog
      open
      onClose={onClose}
      title="Changes committed"
      testid="commit-done"
      help="guide/undo"
      footer={
        <>
          <span className="flex-1" />
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-xs">
        <p>
          {plural((out.files ?? []).length, "file")} committed to{" "}
          <code className="font-mono break-all">{stripControl(out.branch)}</code>{" "}
          <span className="text-text-faint">({out.commit.slice(0, 12)})</span>. No hook ran.
        </p>
        {skipped.length > 0 ? (
          <ul className="text-text-muted" data-testid="commit-skipped">
            {skipped.map((s) => (
              <li key={s.path}>
                Left out: <span className="font-mono break-all">{stripControl(s.path)}</span>, {s.why}
              </li>
            ))}
          </ul>
        ) : null}
        {mixed.length > 0 ? (
          <p className="text-warn" data-testid="commit-mixed">
            Uncommitted changes from before the goal are included: {mixed.map(stripControl).join(", ")}
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
