import type { IDockviewPanelProps } from "dockview-react";
import { useLayoutEffect } from "react";
import { act } from "@/testing/act";
import { beforeEach, expect, test, vi } from "vitest";
import { mount } from "@/testing/mount";
import { PanePanel } from "./panel";

/**
 * Makes the changes that dockview makes between a pane's first render and its effects. Here the pane's content calls
 * it.
 */
let duringDraw: () => void;
let drawn: { visible: boolean; active: boolean };

vi.mock("@/features/browser/view", () => ({
  BrowserView: (props: { visible: boolean; active: boolean }) => {
    drawn = { visible: props.visible, active: props.active };
    useLayoutEffect(() => duringDraw(), []);
    return null;
  },
}));

/** Dock is the part of dockview's panel that a pane listens to. */
class Dock {
  readonly id = "b1";
  isVisible = false;
  isActive = false;
  private readonly shows = new Set<(e: { isVisible: boolean }) => void>();
  private readonly activates = new Set<(e: { isActive: boolean }) => void>();

  onDidVisibilityChange = (f: (e: { isVisible: boolean }) => void) => this.on(this.shows, f);
  onDidActiveChange = (f: (e: { isActive: boolean }) => void) => this.on(this.activates, f);

  become(state: boolean) {
    this.isVisible = this.isActive = state;
    for (const f of this.shows) f({ isVisible: state });
    for (const f of this.activates) f({ isActive: state });
  }

  listeners = () => this.shows.size + this.activates.size;

  private on<T>(set: Set<T>, f: T) {
    set.add(f);
    return { dispose: () => set.delete(f) };
  }
}

let dock: Dock;
beforeEach(() => {
  dock = new Dock();
  drawn = { visible: false, active: false };
});

const draw = () =>
  mount(<PanePanel {...({ api: dock } as unknown as IDockviewPanelProps)} />, undefined, (app) => {
    const pane = { id: "b1", kind: "browser", title: "page" } as never;
    app.set({ panes: { ...app.state.panes, panes: [pane] } });
  });

test("a pane that becomes the active one while it is first drawn is drawn as that", async () => {
  duringDraw = () => {
    expect(dock.listeners()).toBe(0);
    dock.become(true);
  };
  await draw();
  expect(drawn).toEqual({ visible: true, active: true });
});

test("one that another takes the place of while it is first drawn is not", async () => {
  dock.become(true);
  duringDraw = () => dock.become(false);
  await draw();
  expect(drawn).toEqual({ visible: false, active: false });
  act(() => dock.become(true));
  expect(drawn).toEqual({ visible: true, active: true });
});
