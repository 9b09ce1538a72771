import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { all, find, get, mount, press, until, write } from "@/testing/mount";
import { FakeBridge } from "@/bridge/fake/bridge";
import { proofs } from "@/bridge/fake/proofs";
import { GoalDrawer } from "./drawer";

async function running() {
  const all = await mount(<GoalDrawer />, undefined, (app) => app.start());
  const view = all.app.state.detail.view;
  if (view?.status !== "running") throw new Error("the goal that is shown first runs");
  return { ...all, view };
}

test("a note for the agent is written in the drawer, sent with Ctrl+Enter, and the field is empty again", async () => {
  const { app, view } = await running();
  const steer = vi.spyOn(app.goals, "steer").mockResolvedValue(true);
  const field = () => get("drawer-note") as HTMLTextAreaElement;
  expect((get("drawer-send") as HTMLButtonElement).disabled).toBe(true);
  write("drawer-note", "leave the styles alone");
  act(() => void field().dispatchEvent(new KeyboardEvent("keydown", { code: "Enter", ctrlKey: true, bubbles: true })));
  await until(() => expect(field().value).toBe(""));
  expect(steer).toHaveBeenCalledExactlyOnceWith(view.id, "leave the styles alone");

  steer.mockResolvedValue(false);
  write("drawer-note", "once more");
  await press("drawer-send");
  expect(field().value, "what was not taken stays").toBe("once more");
});

test("the drawer says what the goal cost, of what it may cost", async () => {
  const { app, view } = await running();
  act(() => app.set({ detail: { ...app.state.detail, view: { ...view, usd: 0.42, max_usd: 5 } } }));
  expect(get("drawer-money").textContent).toBe("$0.42 of $5.00");
  act(() => app.set({ detail: { ...app.state.detail, view: { ...view, usd: 0 } } }));
  expect(find("drawer-money")).toBeNull();
});

test("a weakened pass is not shown in green, and says its reason", async () => {
  const { app } = await mount(<GoalDrawer />, undefined, (app) => app.start());
  app.watchGoal("01m0done0000000000000000e5");
  await until(() => expect(get("drawer-reason").textContent).toContain("Passed, look at this"));
  expect(get("drawer-reason").textContent).toContain("lint-notes.js decides itself by how it ends");
  expect(get("drawer-reason").className).toContain("border-warn");
});

test("a done goal shows its result, what decided it, what it changed, and what to do next", async () => {
  const bridge = new FakeBridge();
  const id = "01m0done0000000000000000e5";
  Object.assign(bridge.goals.get(id)?.view ?? {}, proofs.tested);
  const { app } = await mount(<GoalDrawer />, bridge, (a) => a.start());
  app.watchGoal(id);
  await until(() => expect(find("next-commit")).not.toBeNull());
  expect(get("drawer-assurance").textContent).toBe("Verified by tests");
  expect(get("goal-result").querySelector("strong")?.textContent).toBe("NOTES.md");
  expect(all("check-last-line").map((l) => l.textContent)).toEqual(["ok  \tshop/cart\t0.044s", "exit 0"]);
  expect(get("changed-files").textContent).toContain("6 files changed+63 −17");
  expect(all("changed-file").map((f) => f.dataset.path)).toEqual([
    "cart/cart.go",
    "cart/coupon.go",
    "cart/coupon_test.go",
  ]);
  expect([...get("next-steps").querySelectorAll("button")].map((b) => b.textContent.trim())).toEqual([
    "Review changes",
    "Commit…",
    "Undo",
    "Reopen…",
    "This is not done…",
    "Receipt",
    "Export",
    "Ask about this goal",
  ]);

  // The green tick opens what decided.
  await press("check-tick");
  expect(get("why").textContent).toContain("cart/cart_test.go");

  // The fake's files were edited by others since, so the user is asked first; then all can be put back.
  await press("next-undo");
  await until(() => expect((get("undo-confirm") as HTMLButtonElement).disabled).toBe(false));
  await press("undo-confirm");
  await until(() => expect(get("drawer-assurance").textContent).toBe("Done, 5 files undone: checks fail"));
  expect(all("check").map((c) => c.dataset.outcome)).toEqual(["fail", "fail"]);
  await until(() => expect(find("next-redo")).not.toBeNull());
  await press("next-redo");
  await until(() => expect(all("check").map((c) => c.dataset.outcome)).toEqual(["pass", "pass"]));
  expect(get("drawer-assurance").textContent).toBe("Verified by tests");
});
