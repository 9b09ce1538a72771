import { paneFolder } from "@/store/panes";
import { useEffect, useState } from "react";
import { useApp } from "@/store/context";
import type { AppState } from "@/store/state";
import type { Draft } from "./draft";

/** Where the folder of a new draft comes from. */
interface FirstFolder {
  dir: string;
  from: "" | "from the focused pane" | "last used";
}

/** Returns the folder of the focused terminal or file, "" without one. */
export function focusedFolder({ panes, activePane }: AppState): string {
  const pane = panes.panes.find((p) => p.id === activePane && !p.goal_id);
  return pane ? paneFolder(pane) : "";
}

/** Fills the folder of a new draft: that of the focused terminal, otherwise the last one that a goal worked in. */
export function useFirstFolder(draft: Draft, isFresh: boolean, set: (part: Partial<Draft>) => void): string {
  const app = useApp();
  const [first, setFirst] = useState<FirstFolder>({ dir: "", from: "" });
  const [isWanted] = useState(isFresh);
  useEffect(() => {
    if (!isWanted) return;
    let isStale = false;
    const find = async (): Promise<FirstFolder> => {
      const offer = await app.bridge.call("GoalAPI.Folders", focusedFolder(app.state));
      if (offer.dir) return { dir: offer.dir, from: "from the focused pane" };
      return { dir: offer.recent?.[0] ?? "", from: "last used" };
    };
    find()
      .then((found) => {
        if (isStale || !found.dir) return;
        setFirst(found);
        set({ dir: found.dir });
      })
      .catch(() => undefined); // the field then begins empty
    return () => {
      isStale = true;
    };
    // Only once: later changes are the user's.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [app, isWanted]);
  return first.dir !== "" && draft.dir === first.dir ? first.from : "";
}
