import { expect, test, vi } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import { act } from "@/testing/act";
import { mount, until } from "@/testing/mount";
import { useLookedAtGoal } from "./lookedat";

function Frame() {
  useLookedAtGoal();
  return null;
}

test("the program knows the goal on the screen while the window has the focus", async () => {
  const focus = vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const bridge = new FakeBridge();
  const { app } = await mount(<Frame />, bridge, (a) => a.start());
  act(() => app.openGoal(livelyId));
  await until(() => expect(bridge.lookedAt).toBe(livelyId));
  const turn = (isHere: boolean) =>
    act(() => {
      focus.mockReturnValue(isHere);
      window.dispatchEvent(new Event(isHere ? "focus" : "blur"));
    });
  turn(false);
  expect(bridge.lookedAt).toBe("");
  turn(true);
  expect(bridge.lookedAt).toBe(livelyId);
  act(() => app.go("settings"));
  expect(bridge.lookedAt).toBe("");
});
