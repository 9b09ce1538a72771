import { useLayoutEffect } from "react";
import { act } from "@/testing/act";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { IconButton, TooltipProvider } from "./button";
import { Dialog } from "./dialog";

function pressEscape() {
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
}

/** Presses Esc as soon as it is rendered, before any effect of the dialog around it. */
function EscapeAtOnce() {
  useLayoutEffect(pressEscape, []);
  return null;
}

test("Esc closes the newest dialog, also in the moment in which it opens", () => {
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

test("Esc closes a dialog in which a tooltip is shown", () => {
  const close = vi.fn();
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  act(() =>
    root.render(
      <TooltipProvider>
        <Dialog open title="Receipt" onClose={close}>
          <button type="button">First</button>
          <IconButton label="Help" />
        </Dialog>
      </TooltipProvider>,
    ),
  );
  act(() => document.querySelector<HTMLElement>('[aria-label="Help"]')?.focus());
  expect(document.querySelector('[role="tooltip"]')?.textContent).toContain("Help");
  act(() => pressEscape());
  expect(close).toHaveBeenCalledOnce();
  act(() => root.unmount());
});
