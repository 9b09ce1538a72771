import type { DockviewApi } from "dockview-react";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { terminalPane } from "@/bridge/fake/fixtures";
import { App } from "@/store/app";
import { until } from "@/testing/mount";
import { WorkspaceControl } from "./control";
import { saveOwnLayout } from "./layout";

/** The parts of dockview that a control uses: panels with a visibility, and a layout. */
class Dock {
  readonly groups = [];
  readonly restored: unknown[] = [];
  panels: { id: string; title: string; api: { isVisible: boolean }; group: { panels: unknown[] } }[] = [];
  private changed: () => void = () => undefined;

  get totalPanels() {
    return this.panels.length;
  }

  getPanel = (id: string) => this.panels.find((p) => p.id === id);
  addPanel = ({ id, title }: { id: string; title: string }) => {
    const panel = { id, title, api: { isVisible: true }, group: { panels: [] } };
    this.panels.push(panel);
    return panel;
  };
  removePanel = (panel: { id: string }) => (this.panels = this.panels.filter((p) => p.id !== panel.id));
  fromJSON = (layout: unknown) => this.restored.push(layout);
  toJSON = () => layoutOf("t1");
  hasMaximizedGroup = () => false;
  onDidLayoutChange = (f: () => void) => {
    this.changed = f;
    return { dispose: () => undefined };
  };
  onDidActivePanelChange = () => ({ dispose: () => undefined });
  onDidMaximizedGroupChange = () => ({ dispose: () => undefined });
  change = () => this.changed();
}

const layoutOf = (pane: string) => ({
  grid: {
    root: { type: "branch", data: [{ type: "leaf", data: { id: "g", views: [pane], activeView: pane } }] },
    width: 1,
    height: 1,
    orientation: "HORIZONTAL",
  },
  panels: { [pane]: {} },
});

beforeEach(() => sessionStorage.clear());

async function adopt(ids: string[], stored = "") {
  const bridge = new FakeBridge({ empty: true });
  await bridge.call("WorkspaceAPI.SaveLayout", "w1", stored);
  const app = new App(bridge, { problem: () => undefined, done: () => undefined });
  const panes = ids.map((id) => terminalPane(id));
  app.set({ panes: { ...app.state.panes, panes, workspaces: bridge.workspaces, loaded: true } });
  const dock = new Dock();
  const control = new WorkspaceControl(app);
  control.adopt(dock as unknown as DockviewApi);
  await until(() => expect(dock.panels.map((p) => p.id)).toEqual(ids));
  return { app, bridge, control, dock };
}

const taking = (control: WorkspaceControl) => [...control.store.getState().broadcast];

test("the broadcast to visible terminals is ended by the same command", async () => {
  const { control } = await adopt(["t1", "t2"]);
  control.broadcastAll();
  expect(taking(control)).toEqual(["t1", "t2"]);
  control.broadcastAll();
  expect(taking(control)).toEqual([]);
  control.broadcast("t1");
  control.broadcastAll(); // only one of two takes part yet
  expect(taking(control)).toEqual(["t1", "t2"]);
});

test("a broadcast ends when one terminal is left of it", async () => {
  const { app, control } = await adopt(["t1", "t2", "t3"]);
  control.broadcastAll();
  const leave = (...ids: string[]) =>
    app.set({ panes: { ...app.state.panes, panes: ids.map((id) => terminalPane(id)) } });
  leave("t1", "t2");
  expect(taking(control)).toEqual(["t1", "t2"]);
  leave("t1");
  expect(taking(control)).toEqual([]);
});

test("a page that is loaded again has its own layout, not that of another window", async () => {
  saveOwnLayout("w1", JSON.stringify(layoutOf("t1")));
  const { dock } = await adopt(["t1", "t2"], JSON.stringify(layoutOf("t2")));
  expect(dock.restored).toEqual([layoutOf("t1")]);
});

test("without one of its own, or with panes that are gone, it has the stored one", async () => {
  saveOwnLayout("w1", JSON.stringify(layoutOf("gone")));
  const { dock } = await adopt(["t1", "t2"], JSON.stringify(layoutOf("t2")));
  expect(dock.restored).toEqual([layoutOf("t2")]);
});

test("a layout is saved in this window and in Go", async () => {
  const { bridge, dock } = await adopt(["t1"]);
  dock.change();
  const json = JSON.stringify(layoutOf("t1"));
  await until(() => expect(bridge.calls).toContainEqual({ method: "WorkspaceAPI.SaveLayout", args: ["w1", json] }));
  expect(sessionStorage.getItem("goalpost.layout.w1")).toBe(json);
});

test("closing a pane asks only while a command runs in it", async () => {
  const { app, control } = await adopt(["t1", "t2"]);
  const screen = (hasCommand: boolean) => ({ prompts: { hasCommand, command: "make" } }) as never;
  control.screens.set("t1", screen(true));
  control.screens.set("t2", screen(false));
  control.close("t2");
  expect(app.state.question).toBeNull();
  control.close("t1");
  expect(app.state.question?.yes).toBe("End it and close");
});

test("a command that failed on a server becomes a check on that server, in its folder there", async () => {
  const { app, control } = await adopt(["t1"]);
  app.panes.update(terminalPane("t1", { server: "edge-1" }));
  const failed = { command: "make test", dir: "/srv/o'neil", exit: 2, output: "FAIL" };
  control.screens.set("t1", { prompts: { failed } } as never);
  control.makePass("t1");
  const from = app.state.newGoal.from;
  expect(from?.checks).toEqual([{ type: "shell", command: "cd '/srv/o'\\''neil' && make test", where: "ssh:edge-1" }]);
  expect(from?.dir).toBeUndefined();
  expect(from?.objective).toBe("`make test` passes on edge-1");
  expect(from?.attached).toContain("FAIL");
});
