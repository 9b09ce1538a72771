import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { find, get, mount, press, until, write } from "@/testing/mount";
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
