import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { InstructionFile, ProposalView, ProtectedFile } from "@/bridge/types";
import { bytes } from "@/lib/bytes";
import { plural } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { ChevronIcon } from "@/ui/icons";
import type { Draft } from "./draft";
import { checkOf, draftCheck, isFilled, type DraftCheck } from "./draftcheck";
import { useDebouncedCall } from "./usedebouncedcall";

const kindLabels: Record<ProtectedFile["kind"], string> = {
  held: "locked",
  compared: "monitored",
  appears: "must not exist",
};

interface FolderProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  /** Tried checks, whose traces show which files decide. */
  observed: readonly DraftCheck[];
}

/** What the chosen folder provides: files that will be protected, and a proposed criterion. */
export function FolderInfo({ draft, set, observed }: FolderProps) {
  const files = useProtected(draft, observed);
  const proposal = useProposal(draft.dir.trim());
  const instructions = useInstructions(draft.dir.trim());
  const [open, setOpen] = useState(false);
  const [isListed, setListed] = useState(false);
  if (files.length === 0 && instructions.length === 0 && !proposal) return null;
  return (
    <div className="flex flex-col gap-1.5 text-xs text-text-muted">
      {proposal ? (
        <p className="flex items-center gap-2" data-testid="proposal-offer">
          <span className="min-w-0 flex-1">
            This folder suggests a criterion with {plural((proposal.checks ?? []).length, "check")}.
          </span>
          <Button data-testid="proposal-open" onClick={() => setOpen(true)}>
            Review…
          </Button>
        </p>
      ) : null}
      <div className="flex flex-wrap gap-x-3 text-text-faint">
        {files.length > 0 ? (
          <button
            type="button"
            aria-expanded={isListed}
            data-testid="protected-open"
            className="flex items-center gap-1.5 hover:text-text"
            onClick={() => setListed(!isListed)}
          >
            <ChevronIcon size={11} className={isListed ? "rotate-90" : ""} />
            Protects {plural(files.length, "file")}
          </button>
        ) : null}
        {instructions.length > 0 ? (
          <p data-testid="instructions">Reads {instructions.map((f) => `${f.path}, ${bytes(f.bytes)}`).join("; ")}</p>
        ) : null}
      </div>
      {isListed ? (
        <ul className="flex flex-col" data-testid="protected-files">
          {files.map((f) => (
            <li key={`${f.kind} ${f.path}`} className="flex items-baseline gap-2 py-px" data-testid="protected-file">
              <span className="w-24 shrink-0 text-text-faint">{kindLabels[f.kind]}</span>
              <code className="min-w-0 truncate font-mono">{f.path}</code>
              <span className="min-w-0 flex-1 truncate text-text-faint">{f.why}</span>
              <button
                type="button"
                data-testid="unprotect"
                className="shrink-0 text-text-faint hover:text-text"
                onClick={() => set({ no_protect: [...draft.no_protect, f.path] })}
              >
                unprotect
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {open && proposal ? (
        <ProposalDialog
          proposal={proposal}
          onClose={() => setOpen(false)}
          onTake={() => {
            set({ checks: (proposal.checks ?? []).map(draftCheck), any: proposal.any });
            setOpen(false);
          }}
        />
      ) : null}
    </div>
  );
}

interface ProposalDialogProps {
  proposal: ProposalView;
  onClose: () => void;
  onTake: () => void;
}

/** The whole file, shown before any of it takes effect. */
function ProposalDialog({ proposal, onClose, onTake }: ProposalDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Criterion suggested by this folder"
      className="w-[560px]"
      testid="proposal"
      help="guide/checks"
      description="Review the file before you use it"
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">
            This replaces the checks in the dialog. You can still edit them.
          </span>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="proposal-take" onClick={onTake}>
            Use this criterion
          </Button>
        </>
      }
    >
      <p className="mb-2 font-mono text-2xs break-all text-text-faint">{proposal.path}</p>
      <pre
        className={cx(
          "selectable overflow-auto rounded-md border border-border bg-bg px-3 py-2 font-mono",
          "text-xs whitespace-pre-wrap",
        )}
        data-testid="proposal-text"
      >
        {proposal.text}
      </pre>
      <p className="selectable mt-2 text-xs break-words" data-testid="proposal-words">
        Done when {proposal.words}.
      </p>
      {proposal.hosts?.length ? (
        <p className="selectable mt-2 rounded-md bg-warn-bg px-3 py-2 text-xs break-words" data-testid="proposal-hosts">
          Its checks can contact {proposal.hosts.join(", ")}, even if the goal cannot.
        </p>
      ) : null}
    </Dialog>
  );
}

const noFiles: ProtectedFile[] = [];

function useProtected(draft: Draft, observed: readonly DraftCheck[]): readonly ProtectedFile[] {
  const app = useApp();
  const input = {
    dir: draft.dir.trim(),
    checks: draft.checks.filter((c) => isFilled(c) && !observed.includes(c)).map(checkOf),
    protect: draft.protect,
    no_protect: draft.no_protect,
  };
  return useDebouncedCall(JSON.stringify(input), noFiles, async () =>
    input.dir && input.checks.length > 0 ? ((await app.bridge.call("GoalAPI.Protected", input)) ?? noFiles) : noFiles,
  );
}

const noInstructions: InstructionFile[] = [];

function useInstructions(dir: string): readonly InstructionFile[] {
  const app = useApp();
  return useDebouncedCall(dir, noInstructions, async () =>
    dir ? ((await app.bridge.call("GoalAPI.Instructions", dir)) ?? noInstructions) : noInstructions,
  );
}

function useProposal(dir: string): ProposalView | null {
  const app = useApp();
  return useDebouncedCall<ProposalView | null>(dir, null, async () => {
    if (!dir) return null;
    try {
      return await app.bridge.call("GoalAPI.Proposal", dir);
    } catch (reason) {
      const problem = asProblem(reason);
      // Most folders propose nothing; an invalid proposal is reported.
      if (problem.field === "criterion") app.notices.problem(problem);
      return null;
    }
  });
}
