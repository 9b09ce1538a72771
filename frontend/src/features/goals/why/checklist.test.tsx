import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { blankView } from "@/bridge/fake/fixtures";
import { proofs } from "@/bridge/fake/proofs";
import * as clipboard from "@/bridge/clipboard";
import { all, find, get, mount, nth, press, until } from "@/testing/mount";
import { CheckList } from "./checklist";

const done = { ...blankView, id: "01m0done0000000000000000e5", status: "completed" as const, exit: "done" as const };
const view = { ...done, ...proofs.weakened };

const key = (code: string) => act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code })));
const expanded = () => all("check-why").map((b) => b.getAttribute("aria-expanded"));

test("the first doubted check is open; J and K move between checks, W shows why", async () => {
  await mount(<CheckList view={view} keys />);
  expect(all("check-assurance").map((b) => b.textContent)).toEqual(["Passed, look at this", "Verified"]);
  expect(expanded()).toEqual(["true", "false"]);
  key("KeyW");
  key("KeyJ");
  key("KeyW");
  expect(expanded()).toEqual(["false", "true"]);
  expect(document.activeElement).toBe(all("check-why")[1]);
  key("KeyK");
  key("KeyW");
  expect(expanded()).toEqual(["true", "true"]);
});

test("what a pass rests on and what to look at are separate, and copied as text", async () => {
  const copy = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await mount(<CheckList view={view} />);
  expect(get("why-ok").textContent).toContain("Tests: cart/cart_test.go as at the start");
  expect(get("why-warn").textContent).toContain("No longer run: TestRefund, TestTax");
  await until(() => expect(get("why-made").textContent).toContain("cart/coupon_test.go"));
  await press("why-copy");
  expect(copy.mock.calls[0]?.[0]).toContain(
    "What to look at\n- No longer run: TestRefund, TestTax. They ran before the goal began.",
  );
});

test("a file that changed opens its diff, another one opens itself", async () => {
  const bridge = new FakeBridge();
  const { app } = await mount(<CheckList view={view} />, bridge);
  const open = vi.spyOn(app.panes, "openGoalFile").mockResolvedValue();
  const links = () => all("why-file");
  await press(
    nth(
      links(),
      links().findIndex((l) => l.textContent === "cart/cart.go"),
    ),
  );
  await until(() => expect([app.state.goalTab, app.state.shownFile]).toEqual(["changes", "cart/cart.go"]));
  await press(
    nth(
      links(),
      links().findIndex((l) => l.textContent === "cart/cart_test.go"),
    ),
  );
  await until(() => expect(open).toHaveBeenCalledWith(view.id, "cart/cart_test.go"));
});

test("beside the workspace all are closed, and a judged check cannot run again", async () => {
  await mount(<CheckList view={{ ...done, ...proofs.judged }} short />);
  expect(find("why")).toBeNull();
  await press(nth(all("check-why"), 0));
  expect(get("why").textContent).toContain("No program decided");
  expect(find("why-again")).toBeNull();
});
