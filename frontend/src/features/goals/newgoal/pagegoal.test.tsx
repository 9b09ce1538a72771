import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest } from "@/bridge/types";
import type { App } from "@/store/app";
import { find, get, mount, press, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";
import { PageGoalDialog, pageGoal } from "./pagegoal";

let app: App;
let bridge: FakeBridge;

beforeEach(async () => {
  localStorage.clear();
  ({ app, bridge } = await mount(
    <>
      <NewGoalDialog />
      <PageGoalDialog />
    </>,
    new FakeBridge({ empty: true }),
  ));
});

const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as GoalRequest | undefined;

test("what a page should show becomes a goal with its check", async () => {
  act(() => app.set({ pageGoal: "http://127.0.0.1:8080/cart" }));
  await press("page-goal-save");
  expect(get("error-page-goal-what").textContent).toBe("Say what the page should show");
  write("page-goal-what", "Total: $37.80");
  await press("page-goal-save");
  expect(find("page-goal-form")).toBeNull();
  await press("start-goal");
  expect(started()).toMatchObject({
    objective: "The page http://127.0.0.1:8080/cart shows: Total: $37.80",
    checks: [{ type: "http", url: "http://127.0.0.1:8080/cart", body_contains: "Total: $37.80" }],
    allow_local: [8080],
  });
});

test("a page from a file is decided by the file, and any page by a vision model", () => {
  expect(pageGoal("file:///home/ada/my%20shop/cart.html", "a (b)", "text")).toEqual({
    objective: "The page /home/ada/my shop/cart.html shows: a (b)",
    dir: "/home/ada/my shop",
    checks: [{ type: "file", path: "cart.html", matches: String.raw`a \(b\)` }],
  });
  expect(pageGoal("https://shop.example/", "two items", "model").checks).toEqual([
    { type: "visual", question: "Does the page show this: two items?", url: "https://shop.example/" },
  ]);
});

test("an attached output is shown and sent", async () => {
  const failed = { objective: "`make` passes", checks: [{ type: "shell" as const, command: "make" }], dir: "/srv" };
  act(() => app.newGoal({ ...failed, attached: "$ make\nFAIL" }));
  await press("attachment-open");
  expect(get("attachment").textContent).toContain("$ make\nFAIL");
  expect(get("attachment").textContent).toContain("2 lines");
  await press("start-goal");
  expect(started()).toMatchObject({ attached: "$ make\nFAIL", dir: "/srv" });
});
