import { useCallback, useState, type ReactNode } from "react";
import { usesPane } from "@/agent/callwords";
import type { GoalView, UndoInput } from "@/bridge/types";
import { undoInput } from "@/store/folderactions";
import type { App } from "@/store/app";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { PlayIcon } from "@/ui/icons";
import { CommitDialog } from "@/features/goals/changes/commitdialog";
import { RedoIcon, UndoIcon } from "@/features/goals/changes/icons";
import { UndoDialog } from "@/features/goals/changes/undodialog";
import { isDoubted } from "@/features/goals/assurancelabel";
import { ReceiptDialog } from "@/features/goals/receipt";
import { useFolder } from "./usefolder";

interface NextStepsProps {
  view: GoalView;
  /** Further buttons, such as Reopen. */
  children?: ReactNode;
}

function showSummary(app: App, goal: string) {
  app.openGoal(goal, "replay");
  app.set({ summaryOf: goal });
}

const touch = "max-[640px]:h-11 max-[640px]:px-3.5";

/** What the user can do with the result of a stopped goal: review, commit, undo, and look at the receipt. */
export function NextSteps({ view, children }: NextStepsProps) {
  const app = useApp();
  const folder = useFolder(view.id);
  const hasPanes = useAppState((s) => s.detail.steps.some(usesPane));
  const claimed = useAppState((s) => s.detail.journal.claims.length > 0);
  const [open, setOpen] = useState<"commit" | "receipt" | "">("");
  const [asked, setAsked] = useState<UndoInput | null>(null);
  const close = useCallback(() => setAsked(null), []);
  const files = folder?.changes.files ?? [];
  // The user is asked only about files that the user or another program changed since.
  const undo = (input: UndoInput) => {
    if (!input.redo && files.some((f) => f.edited_since)) setAsked(input);
    else void app.folder.undo(view, input);
  };
  return (
    <div data-testid="next-steps" className="mt-3 flex flex-wrap items-center gap-2">
      {files.length > 0 ? (
        <Button
          look={view.status === "completed" && !isDoubted(view) ? "primary" : "plain"}
          data-testid="next-review"
          className={touch}
          onClick={() => app.openGoal(view.id, "changes")}
        >
          Review changes
        </Button>
      ) : null}
      {files.length > 0 && folder?.offer && !folder.offer.unavailable ? (
        <Button data-testid="next-commit" className={touch} onClick={() => setOpen("commit")}>
          Commit…
        </Button>
      ) : null}
      {files.length > 0 ? (
        <Button data-testid="next-undo" className={touch} onClick={() => undo(undoInput({}))}>
          <UndoIcon size={13} /> Undo
        </Button>
      ) : null}
      {folder?.changes.can_redo ? (
        <Button data-testid="next-redo" className={touch} onClick={() => undo(undoInput({ redo: true }))}>
          <RedoIcon size={13} /> Put back
        </Button>
      ) : null}
      {children}
      {claimed || view.status === "completed" ? (
        <Button data-testid="receipt-open" className={touch} onClick={() => setOpen("receipt")}>
          Receipt
        </Button>
      ) : null}
      {hasPanes ? (
        <Button data-testid="next-summary" className={touch} onClick={() => showSummary(app, view.id)}>
          <PlayIcon size={12} /> Watch it in 10 s
        </Button>
      ) : null}
      <Button
        data-testid="next-export"
        title="One HTML file that opens without Goalpost"
        className="max-[640px]:hidden"
        onClick={() => void app.goals.export(view.id)}
      >
        Export
      </Button>
      <Button data-testid="next-ask" className={touch} onClick={() => app.chat.askAboutGoal(view.id, view.objective)}>
        Ask about this goal
      </Button>
      {open === "commit" && folder?.offer ? (
        <CommitDialog goal={view.id} offer={folder.offer} files={files} onClose={() => setOpen("")} />
      ) : null}
      {open === "receipt" ? <ReceiptDialog goal={view.id} onClose={() => setOpen("")} /> : null}
      {asked ? <UndoDialog view={view} input={asked} onClose={close} onDone={close} /> : null}
    </div>
  );
}
