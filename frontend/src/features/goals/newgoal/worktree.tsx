import type { WorktreeOffer } from "@/bridge/types";
import { plural } from "@/lib/text";
import { useApp } from "@/store/context";
import type { AdvancedProps } from "./advancedprops";
import { useDebouncedCall } from "./usedebouncedcall";

/** Offers a git worktree for the goal if the folder is in a repository. */
export function WorktreeField({ draft, set, errors }: AdvancedProps) {
  const offer = useOffer(draft.dir.trim(), draft.objective.trim());
  const isOffered = offer !== null && offer.unavailable === "";
  if (!isOffered && !draft.new_worktree) return null;
  return (
    <label className="-mt-2 flex cursor-pointer items-start gap-2 text-xs" data-testid="worktree">
      <input
        type="checkbox"
        data-testid="field-worktree"
        className="mt-0.5 accent-(--accent)"
        checked={draft.new_worktree}
        onChange={(e) => set({ new_worktree: e.target.checked })}
      />
      <span>
        Work in a new git worktree, on a branch of its own
        {draft.new_worktree ? (
          <Details offer={isOffered ? offer : null} unavailable={offer?.unavailable ?? ""} />
        ) : null}
        {errors.new_worktree ? (
          <span role="alert" data-testid="error-worktree" className="mt-1 block text-bad">
            {errors.new_worktree.message} <span className="text-text-muted">{errors.new_worktree.hint}</span>
          </span>
        ) : null}
      </span>
    </label>
  );
}

function Details({ offer, unavailable }: { offer: WorktreeOffer | null; unavailable: string }) {
  if (!offer) {
    return unavailable ? <span className="mt-0.5 block text-warn">Not possible: {unavailable}.</span> : null;
  }
  const from = offer.from || offer.commit.slice(0, 12);
  return (
    <span className="mt-0.5 block text-text-muted" data-testid="worktree-details">
      Branch <code className="font-mono">{offer.branch}</code> begins at {from}. Your own files stay as they are, and
      other goals can work on the repository at the same time.
      {offer.uncommitted > 0 ? (
        <span className="text-warn" data-testid="worktree-uncommitted">
          {" "}
          Your uncommitted changes ({plural(offer.uncommitted, "file")}) are not included.
        </span>
      ) : null}
    </span>
  );
}

function useOffer(dir: string, objective: string): WorktreeOffer | null {
  const app = useApp();
  return useDebouncedCall<WorktreeOffer | null>(JSON.stringify([dir, objective]), null, async () =>
    dir ? app.bridge.call("WorktreeAPI.Offer", dir, objective) : null,
  );
}
