import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as clipboard from "@/bridge/clipboard";
import { FakeBridge } from "@/bridge/fake/bridge";
import { find, get, mount, press, until } from "@/testing/mount";
import { daySeries } from "./dayseries";
import SpendDialog from "./spenddialog";

vi.mock("uplot", () => ({
  default: class {
    static paths = {};
    setData() {}
    setSize() {}
    destroy() {}
  },
}));

afterEach(() => {
  vi.restoreAllMocks();
});

const onClose = vi.fn();
const legend = () => [...get("plot-days-legend").querySelectorAll("li")].map((l) => l.textContent);

beforeEach(() => {
  onClose.mockClear();
});

test("the spend of all goals has a line for each model, or for each folder", async () => {
  await mount(<SpendDialog onClose={onClose} />);
  await until(() => expect(find("plot-days-legend")).not.toBeNull());
  expect(legend()).toEqual(["claude-sonnet", "qwen3-coder", "=1+1,x", "Unknown model"]);
  expect(get("plot-days-drawn").getAttribute("aria-label")).toMatch(/^\$[\d.]+ in 30 days, claude-sonnet \$/);
  await press("spend-by-folder");
  await until(() => expect(legend()).toEqual(["~/shop", "~/notes", "No goal, or deleted"]));
  await press("spend-by-persona");
  await until(() => expect(legend()).toEqual(["programmer", "reviewer", "No persona, no goal, or deleted"]));
});

test("by day, each day has what was spent on it", async () => {
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await mount(<SpendDialog onClose={onClose} />);
  await press("spend-by-day");
  await until(() => expect(get("plot-days").getAttribute("aria-label")).toBe("Spend by day"));
  expect(find("plot-days-legend")).toBeNull();
  await press("plot-days-copy");
  expect(copied.mock.calls[0]?.[0].split("\n").slice(0, 3)).toEqual(["day,usd", "2026-11-02,1.35", "2026-11-03,4.05"]);
});

test("the table and the CSV have a row a day; a model's name is no formula there", async () => {
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await mount(<SpendDialog onClose={onClose} />);
  await until(() => expect(find("plot-days-table")).not.toBeNull());
  await press("plot-days-copy");
  const lines = copied.mock.calls[0]?.[0].split("\n") ?? [];
  expect(lines[0]).toBe(`day,claude-sonnet,qwen3-coder,"'=1+1,x",Unknown model`);
  expect(lines[1]).toMatch(/^2026-11-02,0\.9,0\.31,/);
  expect(lines).toHaveLength(32);
  await press("plot-days-table");
  expect(get("plot-days-numbers").querySelectorAll("tbody tr")).toHaveLength(30);
  expect(get("plot-days-numbers").querySelector("tbody td")?.textContent).toBe("2026-11-02");
});

test("without any spending, the dialog says so", async () => {
  await mount(<SpendDialog onClose={onClose} />, new FakeBridge({ empty: true }));
  await until(() => expect(get("plot-days-empty").textContent).toBe("Nothing was spent in the last 30 days."));
  expect(find("plot-days-table")).toBeNull();
});

test("of many models, the cheaper ones are one line", () => {
  const lines = Array.from({ length: 9 }, (_, i) => ({ key: `m${i}`, usd: [9 - i, 20 - i] }));
  const { columns, rows, plot } = daySeries({ by: "model", days: ["2026-11-30", "2026-12-01"], lines });
  expect(columns.map((c) => c.title)).toEqual(["Day", "m0", "m1", "m2", "m3", "m4", "4 others"]);
  expect(rows[1]).toEqual([1, 20, 19, 18, 17, 16, 15 + 14 + 13 + 12]);
  expect(plot?.colors).toHaveLength(6);
});
