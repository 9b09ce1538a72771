import { afterEach, expect, test, vi } from "vitest";
import * as clipboard from "@/bridge/clipboard";
import { FakeBridge } from "@/bridge/fake/bridge";
import { find, get, mount, press, until } from "@/testing/mount";
import { figuresOf } from "./figures";
import FiguresDialog from "./figuresdialog";

afterEach(() => {
  vi.restoreAllMocks();
});

test("the figures say what they are computed from, for all goals and by model", async () => {
  await mount(<FiguresDialog onClose={() => undefined} />);
  await until(() => expect(find("figure-false-done")).not.toBeNull());
  expect(get("figure-false-done").textContent).toBe("Done, but it was not4 %You said so of 2 of 46 that were verified");
  expect(get("figure-honest").textContent).toContain("64 %9 of 14 that did not end done, with a report; 3 by a limit");
  expect(get("figure-critic-precision").textContent).toContain("70 %7 of 10");
  expect(get("figure-critic-recall").textContent).toContain("44 %Before 7 of 16");
  expect(get("figure-asks").textContent).toContain("1.5");
  expect(get("figure-cost").textContent).toContain("$0.90");
  const rows = [...get("figures-models").querySelectorAll("tbody tr")].map((r) => r.querySelector("th")?.textContent);
  expect(rows).toEqual(["qwen3-coder", "claude-sonnet", "=1+1,x"]);
});

test("the CSV has the counts of each model, whose name is no formula there", async () => {
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await mount(<FiguresDialog onClose={() => undefined} />);
  await until(() => expect(find("figures-copy")).not.toBeNull());
  await press("figures-copy");
  const lines = copied.mock.calls[0]?.[0].split("\n") ?? [];
  expect(lines[0]).toBe("model,goals,ends,done,not_done,gave_up,limited,aborted,failed,asks,warned,right,usd");
  expect(lines[3]).toMatch(/^"'=1\+1,x",2,/);
});

test("before the first goal has ended, and of a model that never warned, there is no number", async () => {
  await mount(<FiguresDialog onClose={() => undefined} />, new FakeBridge({ empty: true }));
  await until(() => expect(find("figures-empty")).not.toBeNull());
  expect(find("figures-copy")).toBeNull();
  const counts = { ends: 1, done: 1, not_done: 0, gave_up: 0, limited: 0, aborted: 0, failed: 0 };
  const row = { model: "m", goals: 1, ...counts, asks: 0, warned: 0, right: 0, usd: 0 };
  expect(figuresOf(row).map((f) => f.value)).toEqual(["0 %", "–", "–", "–", "0.0", "$0.00"]);
});
