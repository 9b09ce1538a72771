import { createContext, useContext } from "react";
import { useStore } from "zustand";
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
