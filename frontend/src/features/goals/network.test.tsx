import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalView } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { Network } from "./network";

let root: Root;
let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  bridge = new FakeBridge();
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <AppContext value={app}>
        <Network view={{ id: "g1" } as GoalView} />
      </AppContext>,
    );
    await Promise.resolve();
  });
  await vi.waitFor(async () => {
    await act(() => new Promise((r) => setTimeout(r)));
    expect(hosts()).toHaveLength(2);
  });
});

afterEach(() => {
  act(() => root.unmount());
  document.body.replaceChildren();
});

const hosts = () => [...document.querySelectorAll<HTMLElement>('[data-testid="network-host"]')];

test("refused hosts stand first, with the reason; what is the goal's own says so", () => {
  expect(document.querySelector('[data-testid="network"]')?.textContent).toContain("3 of 46 refused");
  expect(hosts().map((h) => h.dataset.allowed)).toEqual(["false", "true"]);
  expect(hosts()[0]?.textContent).toContain("does not leave the machine");
  expect(hosts()[1]?.textContent).toContain("its own");
});

test("a request is heard of, and the log is read once more", async () => {
  const reads = () => bridge.calls.filter((c) => c.method === "GoalAPI.Network").length;
  const before = reads();
  act(() => {
    app.set({ detail: { ...app.state.detail, requests: 1 } });
    app.set({ detail: { ...app.state.detail, requests: 2 } });
  });
  await vi.waitFor(() => expect(reads()).toBe(before + 1), 3_000);
});
