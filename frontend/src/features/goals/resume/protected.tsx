import { useState } from "react";
import type { Decision, GoalView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";

/** Asks what becomes of protected files that were changed, before the goal continues. */
export function Changed({ view }: { view: GoalView }) {
  const app = useApp();
  const changed = useAppState((s) => s.protectedChanged);
  const [busy, setBusy] = useState(false);
  if (!changed) return null;
  const decide = async (decision: Decision) => {
    setBusy(true);
    await changed.resume(decision);
    setBusy(false);
  };
  return (
    <PanelBox view={view} kind="protected_changed" title={changed.message}>
      <p className="mt-1 text-text-muted">
        Keep your changes and use them for the checks from now on, or restore the original files. Restoring saves a copy
        of yours; the steps show where.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="primary" data-testid="protected-accept" disabled={busy} onClick={() => void decide("accept")}>
          Keep my changes
        </Button>
        <Button data-testid="protected-restore" disabled={busy} onClick={() => void decide("restore")}>
          Restore the files
        </Button>
        <Button look="quiet" disabled={busy} onClick={() => app.set({ protectedChanged: null })}>
          Cancel
        </Button>
      </div>
    </PanelBox>
  );
}
