import { expect, test, vi } from "vitest";
import { act } from "@/testing/act";
import { get, mount } from "@/testing/mount";
import { Popover } from "./popover";

async function open(stays: boolean) {
  const onClose = vi.fn();
  await mount(
    <>
      <div id="root">
        <button type="button" data-testid="page" />
        <Popover data-testid="popover" stays={stays} onClose={onClose}>
          <button type="button" data-testid="inside" />
        </Popover>
      </div>
      <button type="button" data-testid="dialog" />
    </>,
  );
  return onClose;
}

const press = (id: string) => act(() => void get(id).dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })));

test("a popover closes with a click elsewhere, not with one in it or in a dialog", async () => {
  const onClose = await open(false);
  press("inside");
  press("dialog");
  expect(onClose).not.toHaveBeenCalled();
  press("page");
  expect(onClose).toHaveBeenCalledOnce();
});

test("a question stays when the user clicks elsewhere, and Esc answers it", async () => {
  const onClose = await open(true);
  press("page");
  expect(onClose).not.toHaveBeenCalled();
  act(() => void get("inside").dispatchEvent(new KeyboardEvent("keydown", { code: "Escape", bubbles: true })));
  expect(onClose).toHaveBeenCalledOnce();
});
