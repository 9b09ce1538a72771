import { act, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Dialog } from "./dialog";

function pressEscape() {
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
}

/** Presses Esc as soon as it is on the screen, before any effect of the dialog around it. */
function EscapeAtOnce() {
  useLayoutEffect(pressEscape, []);
  return null;
}

test("Esc closes the newest dialog, also in the moment in which it opens", () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const closed: string[] = [];
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const dialogs = (second: boolean, atOnce: boolean) => (
    <>
      <Dialog open title="First" onClose={() => closed.push("first")}>
        <button type="button">First</button>
      </Dialog>
      <Dialog open={second} title="Second" onClose={() => closed.push("second")}>
        {atOnce ? <EscapeAtOnce /> : null}
        <button type="button">Second</button>
      </Dialog>
    </>
  );
  act(() => root.render(dialogs(false, false)));
  act(() => root.render(dialogs(true, true)));
  expect(closed).toEqual(["second"]);
  act(() => pressEscape());
  expect(closed).toEqual(["second", "second"]);
  act(() => root.render(dialogs(false, false)));
  act(() => pressEscape());
  expect(closed).toEqual(["second", "second", "first"]);
  act(() => root.unmount());
});
