import type { HelpTarget } from "@/lib/helppages";
import type { App } from "@/store/app";
import type { Route } from "@/store/state";
import { helpNear } from "@/ui/helpbutton";

/** The page of the documents about each part of the window. */
export const placeHelp: Record<Route, HelpTarget> = {
  welcome: "guide/start",
  workspace: "guide/workspaces",
  goals: "how-to/goals",
  schedules: "guide/schedules",
  settings: "guide/settings",
};

/** The page that F1 opens: that of the current dialog, pane or page. */
export function openHelpHere(app: App): void {
  app.openHelp(helpNear(document.activeElement) ?? placeHelp[app.state.route]);
}
