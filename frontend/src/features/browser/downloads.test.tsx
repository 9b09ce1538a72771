import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PaneDownload } from "@/bridge/types";
import { browserPane } from "@/bridge/fake/fixtures";
import { act } from "@/testing/act";
import { get, mount } from "@/testing/mount";
import { Downloads } from "./downloads";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

const file: PaneDownload = {
  ...{ id: "d1", name: "a.bin", url: "http://127.0.0.1/a.bin", path: "/tmp/a.bin" },
  ...{ received: 1, total: 2, state: "downloaded", asks: false },
};
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function list(state: PaneDownload["state"], passing: boolean) {
  const onClose = vi.fn();
  await mount(<Downloads pane={browserPane("b1")} list={[{ ...file, state }]} passing={passing} onClose={onClose} />);
  return onClose;
}

test("a list that opened by itself closes by itself, but not under the pointer", async () => {
  const onClose = await list("downloaded", true);
  act(() => void get("downloads").dispatchEvent(new PointerEvent("pointerover", { bubbles: true })));
  await pass(60_000);
  expect(onClose).not.toHaveBeenCalled();
  act(() => void get("downloads").dispatchEvent(new PointerEvent("pointerout", { bubbles: true })));
  await pass(60_000);
  expect(onClose).toHaveBeenCalledOnce();
});

test.each([
  ["downloading", true],
  ["downloaded", false],
] as const)("a list stays: %s, opened by itself %s", async (state, passing) => {
  const onClose = await list(state, passing);
  await pass(60_000);
  expect(onClose).not.toHaveBeenCalled();
});
