import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { WorkspaceControl } from "./control";

export const ControlContext = createContext<WorkspaceControl | null>(null);

export function useControl(): WorkspaceControl {
  const control = useContext(ControlContext);
  if (!control) throw new Error("this component must be rendered inside the workspace context");
  return control;
}

export function useIsSearching(id: string): boolean {
  return useStore(useControl().store, (s) => s.searching === id);
}

export function useRenaming(id: string): boolean {
  return useStore(useControl().store, (s) => s.renaming === id);
}

/** Number of terminals in the broadcast, 0 if this terminal is not in it. */
export function useBroadcast(id: string): number {
  return useStore(useControl().store, (s) => (s.broadcast.has(id) ? s.broadcast.size : 0));
}

/** The newest command that failed in a terminal, "" if none did. */
export function useFailed(id: string): string {
  return useStore(useControl().store, (s) => s.failed[id] ?? "");
}

export function useZoomed(): boolean {
  return useStore(useControl().store, (s) => s.zoomed);
}
