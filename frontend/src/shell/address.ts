import type { App } from "@/store/app";
import { placeWithSlug, placeWithTitle, slug } from "@/features/settings/places";
import { goalTabs, type AppState, type GoalTab, type Route } from "@/store/state";

/** A place of the window that an address names. */
interface Place {
  route: Route;
  /** The selected goal, `""` for none; only with the route "goals". */
  goal: string;
  /** Whether the user opened it: a phone shows it instead of the list. */
  opened: boolean;
  tab: GoalTab;
  /** The title of the page, section or row of the settings; only with the route "settings". */
  setting: string;
}

const workspace: Place = { route: "workspace", goal: "", opened: false, tab: "log", setting: "" };
const routes: readonly Route[] = ["workspace", "goals", "schedules", "settings", "welcome"];

/** Parses the query of an address (`?goal=ID&tab=changes`, `?place=settings&at=shell`); null if it names no place. */
export function placeIn(query: string): Place | null {
  const params = new URLSearchParams(query);
  const goal = params.get("goal") ?? "";
  const route = routes.find((r) => r === params.get("place"));
  if (goal === "" && !route) return null;
  if (goal === "" || (route && route !== "goals")) {
    const setting = route === "settings" ? (placeWithSlug(params.get("at") ?? "")?.title ?? "") : "";
    return { ...workspace, route: route ?? "goals", setting };
  }
  const tab = goalTabs.find((t) => t === params.get("tab")) ?? "log";
  return { ...workspace, route: "goals", goal, opened: !route, tab };
}

/** Returns the query of a place. Other parameters of the current query stay. */
export function queryOf(place: Place, query: string): string {
  const params = new URLSearchParams(query);
  for (const name of ["place", "goal", "tab", "at"]) params.delete(name);
  if (place.route !== "workspace" && !place.opened) params.set("place", place.route);
  if (place.goal) params.set("goal", place.goal);
  if (place.goal && place.tab !== "log") params.set("tab", place.tab);
  if (placeWithTitle(place.setting)) params.set("at", slug(place.setting));
  const said = params.toString();
  return said && `?${said}`;
}

function placeOf(s: AppState): Place {
  if (s.route === "settings") return { ...workspace, route: s.route, setting: s.settingsAt.title };
  if (s.route !== "goals") return { ...workspace, route: s.route };
  return { ...workspace, route: "goals", goal: s.detail.id, opened: s.openedGoal !== "", tab: s.goalTab };
}

function showPlace(app: App, place: Place): void {
  if (app.state.newGoal.open) app.closeNewGoal();
  if (place.route === "settings") app.openSettings(place.setting);
  else if (place.route !== "goals") app.go(place.route);
  else if (place.opened) app.openGoal(place.goal, place.tab);
  else {
    if (place.goal) app.sync.select(place.goal);
    app.showGoals();
    app.set({ goalTab: place.tab });
  }
}

/**
 * Keeps the page's address in step with the current place, so that links, a reload and the browser's buttons
 * lead to it. Opening something adds an entry to the history; passing over goals does not.
 * The returned function stops it. Only for a page that has an address.
 */
export function followAddress(app: App, page: Window = window): () => void {
  const first = placeIn(page.location.search);
  if (first) showPlace(app, first);
  let shown = { place: placeOf(app.state), goal: app.state.openedGoal };
  let waiting = false;
  const write = (entry: "pushState" | "replaceState") => {
    const query = queryOf(shown.place, page.location.search);
    if (query === page.location.search) return;
    page.history[entry](null, "", `${page.location.pathname}${query}${page.location.hash}`);
  };
  const update = () => {
    waiting = false;
    const before = shown;
    shown = { place: placeOf(app.state), goal: app.state.openedGoal };
    const { route, goal, tab, setting } = shown.place;
    const isOpened =
      route !== before.place.route ||
      setting !== before.place.setting ||
      shown.goal !== before.goal ||
      (goal === before.place.goal && tab !== before.place.tab);
    write(isOpened ? "pushState" : "replaceState");
  };
  write("replaceState");
  // Several changes are one entry: a goal is selected before it is shown.
  const stop = app.store.subscribe((s, old) => {
    const same =
      s.route === old.route &&
      s.settingsAt.title === old.settingsAt.title &&
      s.detail.id === old.detail.id &&
      s.goalTab === old.goalTab &&
      s.openedGoal === old.openedGoal;
    if (same || waiting) return;
    waiting = true;
    queueMicrotask(update);
  });
  const back = () => {
    showPlace(app, placeIn(page.location.search) ?? workspace);
    shown = { place: placeOf(app.state), goal: app.state.openedGoal };
  };
  page.addEventListener("popstate", back);
  return () => {
    stop();
    page.removeEventListener("popstate", back);
  };
}
