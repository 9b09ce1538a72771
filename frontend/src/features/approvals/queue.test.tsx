import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { AnswerInput } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { ApprovalsDialog } from "./queue";
import { argumentLines, sameKind } from "./words";

let root: Root;
let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  bridge = new FakeBridge();
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await app.openApprovals();
  await act(async () => {
    root.render(
      <AppContext value={app}>
        <ApprovalsDialog />
      </AppContext>,
    );
    await Promise.resolve();
  });
});

afterEach(() => {
  act(() => root.unmount());
  document.body.replaceChildren();
});

const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid="${id}"]`)];

async function press(el: HTMLElement | undefined) {
  await act(async () => {
    el?.click();
    await new Promise((r) => setTimeout(r));
  });
}

const answers = () =>
  bridge.calls.filter((c) => c.method === "ApprovalAPI.Answer").map((c) => c.args[0] as AnswerInput[]);

test("a request shows everything: goal, all arguments, the form, why, and what each answer covers", () => {
  const text = all("approval")[1]?.textContent ?? "";
  for (const words of [
    "Send order",
    "POST https://shop.example/order",
    "name = Ada",
    "at most write_local",
    "on shop.example",
  ])
    expect(text).toContain(words);
  expect(all("approval")[0]?.textContent).toContain("always asks");
});

test("allowing sends the chosen scope, and what is answered leaves the queue", async () => {
  const host = all("approval-scope").find((e) => e.dataset.scope === "host");
  await press(host);
  await press(all("approval-allow")[1]);
  expect(answers()).toEqual([
    [{ goal_id: "01m0running00000000000000a1", request: "a2", allow: true, scope: "host", why: "" }],
  ]);
  expect(all("approval")).toHaveLength(2);
  expect(all("grant")).toHaveLength(2);
});

test("a grant is taken back", async () => {
  await press(all("grant-revoke")[0]);
  expect(all("grant")).toHaveLength(0);
});

test("several of one kind are answered together", async () => {
  const first = bridge.approvals[0];
  if (!first) throw new Error("no approval");
  bridge.approvals = [first, { ...first, request: "a9" }];
  await act(async () => app.loadApprovals());
  await press(all("approval-all")[0]);
  await press(all("approval-deny")[0]);
  expect(answers()[0]?.map((a) => [a.request, a.allow])).toEqual([
    ["a1", false],
    ["a9", false],
  ]);
  expect(all("approvals-empty")).toHaveLength(1);
});

test("arguments are lines, and what is no JSON stays as it is", () => {
  expect(argumentLines('{"a":"x","n":3}')).toEqual([
    { name: "a", value: "x" },
    { name: "n", value: "3" },
  ]);
  expect(argumentLines("{broken")).toEqual([{ name: "", value: "{broken" }]);
  const [a, b] = bridge.approvals;
  expect(a && b && sameKind(a, b)).toBe(false);
});
