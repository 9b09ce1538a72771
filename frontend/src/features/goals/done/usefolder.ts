import { useEffect } from "react";
import type { FolderInfo } from "@/store/folderactions";
import { useApp, useAppState } from "@/store/context";

/** What the folder of a stopped goal differs in from the goal's start; null until it is known. */
export function useFolder(id: string): FolderInfo | null {
  const app = useApp();
  const seq = useAppState((s) => (s.detail.id === id ? (s.detail.view?.seq ?? 0) : 0));
  const info = useAppState((s) => s.folder);
  useEffect(() => {
    void app.folder.load(id, seq);
  }, [app, id, seq]);
  return info?.id === id ? info : null;
}
