import { useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { WorktreeView } from "@/bridge/types";
import { plural, shortPath, stripControl } from "@/lib/text";
import type { App } from "@/store/app";
import { isLive } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { goalStatusLabel } from "@/features/goals/labels";

/** The git worktrees of goals, including deleted ones: merge, open, remove. */
export function WorktreesDialog() {
  const isOpen = useAppState((s) => s.worktreesOpen);
  return isOpen ? <OpenDialog /> : null;
}

function OpenDialog() {
  const app = useApp();
  const { answer, problem, reload } = useCall("WorktreeAPI.List");
  const close = () => app.set({ worktreesOpen: false });
  return (
    <Dialog
      open
      onClose={close}
      title="Git worktrees of goals"
      testid="worktrees"
      help="how-to/goals"
      className="w-[760px]"
      description="Folders and branches that goals work in, beside your own"
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">
            A worktree with work that no other branch has is never removed without asking.
          </span>
          <Button data-testid="worktrees-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {problem ? (
        <p role="alert" className="py-4 text-xs text-text-muted">
          {problem.message} {problem.hint}
        </p>
      ) : null}
      {answer?.length === 0 ? (
        <p data-testid="worktrees-empty" className="py-6 text-center text-sm text-text-faint">
          No goal has a worktree. Choose “Work in a new git worktree” when you start a goal.
        </p>
      ) : null}
      <ul className="divide-y divide-border">
        {(answer ?? []).map((w) => (
          <WorktreeRow key={w.path} worktree={w} onChanged={() => void reload()} />
        ))}
      </ul>
    </Dialog>
  );
}

interface WorktreeRowProps {
  worktree: WorktreeView;
  onChanged: () => void;
}

function WorktreeRow({ worktree: w, onChanged }: WorktreeRowProps) {
  const app = useApp();
  const card = useAppState((s) => s.goals.byId[w.goal_id]?.card);
  const [copied, setCopied] = useState(false);
  const status = card ? goalStatusLabel(card) : null;
  const isBusy = card !== undefined && isLive(card);
  return (
    <li className="py-3 first:pt-0" data-testid="worktree" data-path={w.path} data-goal={w.goal_id}>
      <div className="flex items-center gap-2">
        {status ? (
          <Badge tone={status.tone} live={status.live}>
            {status.words}
          </Badge>
        ) : null}
        {w.goal_id ? (
          <button
            type="button"
            data-testid="worktree-goal"
            className="min-w-0 truncate text-left text-sm font-medium hover:underline"
            onClick={() => {
              app.set({ worktreesOpen: false });
              app.openGoal(w.goal_id);
            }}
          >
            {stripControl(w.objective)}
          </button>
        ) : (
          <span className="text-sm text-text-faint">The goal was deleted</span>
        )}
      </div>
      <p className="selectable mt-1 text-xs break-words text-text-muted">
        <code className="font-mono text-text">{stripControl(w.branch) || "no branch"}</code>
        {" · "}
        <span data-testid="worktree-state" className={hasWork(w) ? "text-warn" : "text-ok"}>
          {describeState(w)}
        </span>
        {" · "}
        <span title={w.path}>{shortPath(w.path)}</span>
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-1.5">
        {w.merge_command && !w.merged ? (
          <Button
            data-testid="worktree-merge"
            title={w.merge_command}
            onClick={() => void writeClipboard(w.merge_command).then(setCopied)}
          >
            {copied ? "Merge command copied" : "Copy merge command"}
          </Button>
        ) : null}
        <Button data-testid="worktree-open" disabled={w.problem !== ""} onClick={() => openFolder(app, w)}>
          Open folder in a terminal
        </Button>
        <Button
          look="quiet"
          data-testid="worktree-remove"
          disabled={isBusy}
          title={isBusy ? "Its goal has not ended: abort it first" : undefined}
          onClick={() => askRemove(app, w, onChanged)}
        >
          Remove…
        </Button>
      </div>
    </li>
  );
}

const hasWork = (w: WorktreeView) => w.problem !== "" || !w.merged || w.uncommitted > 0;

/** What would be lost by removing a worktree. */
function describeState(w: WorktreeView): string {
  if (w.problem) return stripControl(w.problem);
  const merged = w.merged ? "merged" : "not merged";
  return w.uncommitted > 0 ? `${merged}, ${plural(w.uncommitted, "uncommitted file")}` : merged;
}

function openFolder(app: App, w: WorktreeView) {
  app.set({ worktreesOpen: false });
  void app.panes.openTerminal(w.path);
}

function askRemove(app: App, w: WorktreeView, onChanged: () => void) {
  const isLost = hasWork(w);
  app.confirm({
    title: isLost ? "Remove this worktree and its work?" : "Remove this worktree?",
    text: isLost
      ? `${w.branch || w.path} is ${describeState(w)}. Its files and its branch are deleted, and this cannot be undone.`
      : `The folder ${w.path} and the branch ${w.branch} are deleted. Another branch has its commits.`,
    yes: isLost ? "Remove with its work" : "Remove worktree",
    danger: true,
    run: async () => {
      const removed = await app.ask("WorktreeAPI.Remove", w.path, isLost);
      if (!removed) return;
      const was = removed.commit ? ` Its branch was at ${removed.commit.slice(0, 12)}.` : "";
      app.notices.done(`Worktree removed.${was}`);
      onChanged();
    },
  });
}
