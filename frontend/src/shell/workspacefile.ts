import { asProblem } from "@/bridge/problem";
import type { Workspace, WorkspaceFile } from "@/bridge/types";
import { downloadText } from "@/lib/download";
import { gridLayout, renamedLayout } from "@/panes/layout";
import type { App } from "@/store/app";

/** Creates a workspace with a grid of terminals and shows it. Returns whether it did. */
export async function createWorkspace(app: App, name: string, folder: string, rows: number, columns: number) {
  stay(app);
  const id = await app.bridge.call("WorkspaceAPI.Create", name, folder);
  const dir = app.state.panes.workspaces.list?.find((w) => w.id === id)?.folder ?? folder;
  const ids: string[] = [];
  for (let n = 0; n < rows * columns; n++) {
    const pane = await app.bridge.call("TerminalAPI.Open", { dir, cols: 80, rows: 24, command: "" });
    ids.push(pane.id);
  }
  await app.bridge.call("WorkspaceAPI.SaveLayout", id, JSON.stringify(gridLayout(ids, rows, columns)));
  await panesKnown(app, id, ids);
  app.workspaces.show(id);
}

/**
 * Waits until the page knows the panes of a new workspace. The events about them may come after the answers of the calls,
 * and a pane that is not known when the layout is read loses its place in it.
 */
function panesKnown(app: App, workspace: string, ids: readonly string[]): Promise<void> {
  const areKnown = () => {
    const { panes, workspaces } = app.state.panes;
    const one = workspaces.list?.find((w) => w.id === workspace);
    return ids.every((id) => one?.panes?.includes(id) && panes.some((p) => p.id === id));
  };
  if (areKnown()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = app.store.subscribe(() => {
      if (!areKnown()) return;
      stop();
      resolve();
    });
  });
}

/** Keeps the open workspace until the new one has its layout. */
function stay(app: App): void {
  app.set({ workspace: app.workspaces.open?.id ?? "" });
}

/** Saves a workspace as a file: its panes, their folders, commands and addresses, and the layout. */
export async function exportWorkspace(app: App, workspace: Workspace): Promise<void> {
  const file = await app.ask("WorkspaceAPI.Export", workspace.id);
  if (!file) return;
  const name = `${workspace.name.replace(/[^\w-]+/g, "-")}.goalpost.json`;
  downloadText(name, "application/json", JSON.stringify(file, null, 2));
}

/** Asks for a file of `exportWorkspace` and makes a workspace of it. Its commands wait at their prompts. */
export function importWorkspace(app: App): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void file.text().then((text) => importText(app, text));
  });
  input.click();
}

function parseFile(text: string): WorkspaceFile | null {
  try {
    const file = JSON.parse(text) as Partial<WorkspaceFile>;
    if (file.goalpost_workspace !== 1 || !Array.isArray(file.panes)) return null;
    return { goalpost_workspace: 1, name: "", folder: "", layout: "", ...file, panes: file.panes.slice(0, 36) };
  } catch {
    return null;
  }
}

export async function importText(app: App, text: string): Promise<void> {
  const file = parseFile(text);
  if (!file) {
    const hint = "choose a file that Export… of a workspace has written";
    app.notices.problem({ code: "invalid", message: "This file is not a workspace.", hint, field: "" });
    return;
  }
  stay(app);
  try {
    // The folder may be another one on this computer: then the terminals open in the home folder.
    const id = await create(app, file.name, file.folder);
    const ids = new Map<string, string>();
    for (const saved of file.panes ?? []) ids.set(saved.id, await open(app, saved));
    const layout = renamedLayout(file.layout, ids);
    if (layout) await app.bridge.call("WorkspaceAPI.SaveLayout", id, JSON.stringify(layout));
    await panesKnown(app, id, [...ids.values()]);
    app.workspaces.show(id);
    const commands = (file.panes ?? []).filter((p) => p.command).length;
    if (commands === 1) app.notices.done("A command waits at its prompt. Press Enter to run it.");
    if (commands > 1) app.notices.done(`${commands} commands wait at their prompts. Press Enter to run one.`);
  } catch (reason) {
    app.notices.problem(asProblem(reason));
  }
}

async function create(app: App, name: string, folder: string): Promise<string> {
  try {
    return await app.bridge.call("WorkspaceAPI.Create", name, folder);
  } catch {
    return app.bridge.call("WorkspaceAPI.Create", name, "");
  }
}

async function open(app: App, saved: NonNullable<WorkspaceFile["panes"]>[number]): Promise<string> {
  if (saved.kind === "browser") {
    const size = { width: 1024, height: 768, profile: "" };
    return (await app.bridge.call("BrowserAPI.Open", { url: saved.url, ...size })).id;
  }
  const size = { cols: 80, rows: 24 };
  const { dir, command } = saved;
  try {
    return (await app.bridge.call("TerminalAPI.Open", { dir, command, ...size })).id;
  } catch {
    return (await app.bridge.call("TerminalAPI.Open", { dir: "", command: "", ...size })).id;
  }
}
