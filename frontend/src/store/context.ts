import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Action } from "@/lib/actions";
import { boundLabel } from "@/lib/bindings";
import type { App } from "./app";
import type { AppState } from "./state";

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("this component must be rendered inside AppContext");
  return app;
}

/** A part of the state; the component renders again when it changes. */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select);
}

/** The commands of the window with the user's keys, and with their defaults. */
export const CommandsContext = createContext<{ commands: readonly Action[]; defaults: readonly Action[] }>({
  commands: [],
  defaults: [],
});

/** The label of a command's key: the user's, or else the default. */
export function useKeyLabel(id: string, otherwise: string): string {
  return useAppState((s) => boundLabel(s.settings?.keys, id, otherwise));
}
