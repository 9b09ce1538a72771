import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import type { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalView } from "@/bridge/types";
import type { App } from "@/store/app";
import { all, mount, until } from "@/testing/mount";
import { Network } from "./network";

let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  ({ app, bridge } = await mount(<Network view={{ id: "g1" } as GoalView} />));
  await until(() => expect(hosts()).toHaveLength(2));
});

const hosts = () => all("network-host");

test("refused hosts stand first, with the reason; what is the goal's own says so", () => {
  expect(document.querySelector('[data-testid="network"]')?.textContent).toContain("3 of 46 blocked");
  expect(hosts().map((h) => h.dataset.allowed)).toEqual(["false", "true"]);
  expect(hosts()[0]?.textContent).toContain("no network access");
  expect(hosts()[1]?.textContent).toContain("local server");
});

test("a reported request loads the log again", async () => {
  const reads = () => bridge.calls.filter((c) => c.method === "GoalAPI.Network").length;
  const before = reads();
  act(() => {
    app.set({ detail: { ...app.state.detail, requests: 1 } });
    app.set({ detail: { ...app.state.detail, requests: 2 } });
  });
  await until(() => expect(reads()).toBe(before + 1));
});
