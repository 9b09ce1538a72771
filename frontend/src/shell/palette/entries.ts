import type {
  FolderFiles,
  GoalCard,
  LibraryEntry,
  PaneInfo,
  Provider,
  SearchOutput,
  SSHServer,
  TerminalProfile,
} from "@/bridge/types";
import { goalStatusLabel } from "@/features/goals/labels";
import { openHit, placeWords, stepWords } from "@/features/goals/usefound";
import type { HelpText } from "@/features/help/pages";
import { settingsPlaces } from "@/features/settings/places";
import { leaderKey, type Action } from "@/lib/actions";
import { headingAnchor, type HelpPage } from "@/lib/helppages";
import { keyLabel } from "@/lib/keys";
import { clip, shortPath } from "@/lib/text";
import type { App } from "@/store/app";
import { paneFolder, paneTitle } from "@/store/panes";
import type { AppState } from "@/store/state";
import type { Entry } from "./rank";

/** The action that opens the palette is of no use in it. */
const isUseful = (a: Action) => a.id !== "palette" && a.enabled();

export function actionEntries(app: App, actions: readonly Action[]): Entry[] {
  const leader = (a: Action) => `${leaderKey.replace("Space", "Space,")} ${a.leader.toUpperCase()}`;
  return actions.filter(isUseful).map((a) => ({
    id: `action:${a.id}`,
    kind: "action",
    title: a.title,
    words: a.words,
    note: a.group,
    // An ordinary browser keeps some keys for itself; the leader always works.
    keys: [...(a.leader && !app.bridge.window ? [leader(a)] : []), ...a.keys.slice(0, 1).map(keyLabel)],
    run: a.run,
  }));
}

export function goalEntries(app: App, goals: readonly GoalCard[]): Entry[] {
  return goals.map((g) => ({
    id: `goal:${g.id}`,
    kind: "goal",
    title: g.objective,
    words: [g.id.slice(-8)],
    note: goalStatusLabel(g).words,
    keys: [],
    run: () => app.openGoal(g.id),
  }));
}

/** Places in goals, by what goals said and did there. */
export function hitEntries(app: App, found: SearchOutput | null): Entry[] {
  return (found?.goals ?? []).flatMap((goal) =>
    (goal.hits ?? [])
      .filter((hit) => hit.place !== "objective") // the entry of the goal itself has it
      .map((hit) => ({
        id: `hit:${goal.id} ${hit.place} ${hit.seq}`,
        kind: "goal" as const,
        title: (hit.parts ?? []).map((p) => p.text).join(""),
        words: [],
        note: `${placeWords[hit.place]}${stepWords(hit)} · ${clip(goal.objective, 40)}`,
        keys: [],
        run: () => openHit(app, goal.id, hit),
      })),
  );
}

export function paneEntries(panes: readonly PaneInfo[], show: (id: string) => void): Entry[] {
  return panes.map((p) => {
    const place = p.kind === "browser" ? p.url : p.server || shortPath(paneFolder(p));
    return {
      id: `pane:${p.id}`,
      kind: "pane",
      title: paneTitle(p),
      words: [place],
      note: place,
      ...(p.kind === "browser" ? { icon: p.icon } : {}),
      keys: [],
      run: () => show(p.id),
    };
  });
}

/** The folder whose files the palette offers: of the focused terminal, the selected goal or any terminal; "" for none. */
export function folderOf({ panes, detail, goals }: AppState, focused: PaneInfo | undefined): string {
  const local = (p: PaneInfo | undefined) => (p?.kind === "terminal" && !p.server ? p.cwd || p.dir : "");
  const ofGoal = goals.byId[detail.id]?.card.dir ?? "";
  return local(focused) || ofGoal || (panes.panes.map(local).find(Boolean) ?? "");
}

export function fileEntries(app: App, { dir, files }: FolderFiles): Entry[] {
  return (files ?? []).map((name) => ({
    id: `file:${dir}/${name}`,
    kind: "file",
    title: name,
    words: [name.slice(name.lastIndexOf("/") + 1)],
    note: shortPath(dir),
    keys: [],
    run: () => app.panes.openFile(name, 0, dir),
  }));
}

export function settingEntries(app: App): Entry[] {
  return settingsPlaces.map(({ title, page, words }) => ({
    id: `setting:${title}`,
    kind: "setting",
    title,
    words,
    note: title === page.title ? "Settings" : `Settings · ${page.title}`,
    keys: [],
    run: () => app.openSettings(title),
  }));
}

/** The templates of goals that need no project. */
export function templateEntries(app: App, library: readonly LibraryEntry[]): Entry[] {
  return library
    .filter((e) => e.kind === "template" && e.trusted && e.problem === "")
    .map((e) => ({
      id: `template:${e.name}`,
      kind: "action",
      title: `New goal: ${e.name}`,
      words: ["template", e.description],
      note: "Template",
      keys: [],
      run: () => app.newGoalFrom(e.name),
    }));
}

export function profileEntries(app: App, profiles: readonly TerminalProfile[]): Entry[] {
  return profiles.map((p) => ({
    id: `profile:${p.name}`,
    kind: "action",
    title: `New terminal: ${p.name}`,
    words: ["profile", p.command],
    note: "Terminal profile",
    keys: [],
    run: () => app.panes.openTerminal("", "", p.name),
  }));
}

export function serverEntries(app: App, servers: readonly SSHServer[]): Entry[] {
  return servers.map((s) => ({
    id: `server:${s.id}`,
    kind: "server",
    title: s.name || s.host,
    words: [s.host, `connect to ${s.name || s.host}`],
    note: "Connect by SSH",
    keys: [],
    run: () => app.panes.openSSH(s.id),
  }));
}

export function modelEntries(app: App, providers: readonly Provider[]): Entry[] {
  return providers
    .filter((p) => !p.scripted)
    .map((p) => ({
      id: `model:${p.id}`,
      kind: "model",
      title: p.model || p.id,
      words: [p.id],
      note: p.active ? `Default model · ${p.id}` : `Model · ${p.id}`,
      keys: [],
      run: () => app.providers.openConnect({ provider: p.id }),
    }));
}

/** Words that users type for a page of the documents, and that its title does not have. */
const helpWords: Partial<Record<HelpPage, readonly string[]>> = {
  "guide/keyboard": ["shortcuts", "hotkeys", "key bindings"],
  "guide/browser": ["bookmarks", "history", "downloads", "cookies", "developer tools", "PDF", "profiles"],
  "guide/terminals": ["copy", "paste", "tmux", "broadcast"],
  "guide/permissions": ["network", "internet", "access"],
  "guide/undo": ["revert", "commit", "git"],
  "guide/serve": ["phone", "remote", "web", "share"],
  "guide/troubleshooting": ["error", "problem", "bug", "report"],
  "guide/checks": ["test", "verify", "done"],
  "guide/commands": ["command line", "CLI"],
  "how-to/packages": ["install", "uninstall", "update"],
};

/** The pages of the documents, and their sections. */
export function helpEntries(app: App, texts: readonly HelpText[]): Entry[] {
  return texts.flatMap(({ page, title, text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map((m) => (m[1] ?? "").replace(/[`*]/g, ""));
    const sections = headings.map((heading) => ({
      title: heading,
      target: `${page}#${headingAnchor(heading)}` as const,
    }));
    return [{ title, target: page }, ...sections].map((h) => ({
      id: `help:${h.target}`,
      kind: h.target === page ? ("help" as const) : ("section" as const),
      title: h.title,
      words: (h.target === page && helpWords[page]) || [],
      note: h.target === page ? "Help" : `Help · ${title}`,
      keys: [],
      run: () => app.openHelp(h.target),
    }));
  });
}
