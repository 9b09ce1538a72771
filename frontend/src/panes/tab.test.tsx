import type { IDockviewHeaderActionsProps, IDockviewPanelHeaderProps } from "dockview-react";
import { expect, test } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import { browserPane, terminalPane } from "@/bridge/fake/fixtures";
import { act } from "@/testing/act";
import { get, mount, until } from "@/testing/mount";
import { App } from "@/store/app";
import { WorkspaceControl } from "./control";
import { ControlContext } from "./context";
import { PaneActions, PaneTab } from "./tab";

async function draw(id: string, bridge = new FakeBridge()) {
  const control = new WorkspaceControl(new App(bridge, { problem: () => undefined, done: () => undefined }));
  const api = { id } as IDockviewPanelHeaderProps["api"];
  const { app } = await mount(
    <ControlContext value={control}>
      <PaneTab {...({ api } as IDockviewPanelHeaderProps)} />
      <PaneActions {...({ activePanel: { id }, panels: [1] } as unknown as IDockviewHeaderActionsProps)} />
    </ControlContext>,
    bridge,
    (a) => a.start(),
  );
  return app;
}

test("developer tools are named after the page that they show", async () => {
  const bridge = new FakeBridge();
  const address = "devtools://devtools/bundled/devtools_app.html?ws=goalpost/page";
  bridge.panes = [
    browserPane("b7", { title: "Cart" }),
    browserPane("b8", { title: address, url: address, inspects: "b7" }),
  ];
  const app = await draw("b8", bridge);
  await until(() => expect(get("pane-title").textContent).toBe("DevTools · Cart"));
  act(() => app.panes.update(browserPane("b7", { title: "Check-out" })));
  expect(get("pane-title").textContent).toBe("DevTools · Check-out");
});

test("the chip of a pane names its goal, unless the goal is the one in the drawer", async () => {
  const bridge = new FakeBridge();
  bridge.panes = [terminalPane("t7", { goal_id: livelyId })];
  const app = await draw("t7", bridge);
  act(() => app.set({ paneTab: "panes", drawer: false, ownDrawer: false }));
  await until(() => expect(get("pane-goal").textContent).toBe("Goal · Publish the page and make check-o…"));
  act(() => {
    app.sync.select(livelyId);
    app.set({ drawer: true, ownDrawer: true });
  });
  await until(() => expect(get("pane-goal").textContent).toBe("Goal"));
});
