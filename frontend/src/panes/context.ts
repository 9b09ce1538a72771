import { createContext, useContext } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/shallow";
import type { Block } from "@/features/terminal/promptmarks";
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

/** What the menu of a pane depends on, beside the pane. */
export interface MenuFacts {
  /** The newest command that failed in a terminal, "" if none did. */
  failed: string;
  block: Block | null;
  /** The program of a terminal does not get the mouse. */
  mouseOff: boolean;
}

export function useMenuFacts(id: string): MenuFacts {
  return useStore(
    useControl().store,
    useShallow((s) => ({ failed: s.failed[id] ?? "", block: s.block[id] ?? null, mouseOff: s.mouseOff.has(id) })),
  );
}

export function useZoomed(): boolean {
  return useStore(useControl().store, (s) => s.zoomed);
}
