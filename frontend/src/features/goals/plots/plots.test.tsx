import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import * as clipboard from "@/bridge/clipboard";
import { act } from "@/testing/act";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import type { GoalPlots } from "@/bridge/types";
import type { App } from "@/store/app";
import { useAppState } from "@/store/context";
import { find, get, mount, press, until } from "@/testing/mount";
import { ActivityTabs } from "@/features/goals/activitytabs";

// The test's page has no canvas: what is drawn is in the pictures of the gallery, what is given to it is here.
const drawn = vi.hoisted(() => [] as { data: unknown }[]);
vi.mock("uplot", () => ({
  default: class {
    static paths = {};
    data: unknown;
    constructor(_options: unknown, data: unknown) {
      this.data = data;
      drawn.push(this);
    }
    setData(data: unknown) {
      this.data = data;
    }
    setSize() {}
    valToPos() {
      return 0;
    }
    setCursor() {}
    destroy() {}
  },
}));

const odd: GoalPlots = {
  checks: 3,
  passing: [
    { at_ms: 60_000, claim: 1, passing: 2 },
    { at_ms: 150_000, claim: 2, passing: 1 },
  ],
  spend: [
    { at_ms: 30_000, usd: 0.004, tokens: 1_050 },
    { at_ms: 150_000, usd: 0.25, tokens: 42_000 },
  ],
  rate: [
    { at_ms: 0, per_minute: 1_050 },
    { at_ms: 60_000, per_minute: 0 },
    { at_ms: 120_000, per_minute: 40_950 },
  ],
  context: [
    { at_ms: 30_000, tokens: 60_000, window: 0 },
    { at_ms: 90_000, tokens: 96_000, window: 128_000 },
    { at_ms: 150_000, tokens: 32_000, window: 128_000 },
  ],
  times: [
    { kind: "model", ms: 90_000, times: 2 },
    { kind: "commands", ms: 59_400, times: 3 },
    { kind: "host", ms: 600, times: 0 },
  ],
  rate_ms: 60_000,
  guessed: true,
};

let bridge: FakeBridge;
let app: App;

function Selected() {
  const view = useAppState((s) => s.detail.view);
  return view ? <ActivityTabs key={view.id} view={view} /> : null;
}

// The module is loaded when it is first needed, which is slow on a busy machine.
beforeAll(() => import("./plots"));

beforeEach(async () => {
  drawn.length = 0;
  bridge = new FakeBridge({ finish: true });
  ({ app } = await mount(<Selected />, bridge, (a) => a.start()));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const key = (code: string) =>
  act(() => {
    window.dispatchEvent(new KeyboardEvent("keydown", { code, cancelable: true }));
  });

async function show(plots?: GoalPlots) {
  bridge.plots = plots ?? null;
  act(() => app.sync.select(livelyId));
  await until(() => expect(find("story-plots")).not.toBeNull());
  key("Digit6");
  await until(() => expect(find("plot-tokens")).not.toBeNull());
}

test("6 shows the plots with what they say in words", async () => {
  await show(odd);
  await until(() => expect(find("plot-tokens-drawn")).not.toBeNull());
  expect(get("story-plots").getAttribute("aria-pressed")).toBe("true");
  expect(get("plot-checks-drawn").getAttribute("aria-label")).toBe("1 of 3 checks passed after 2 claims");
  expect(get("plot-spend-now").textContent).toMatch(/^\$0\.25 of \$[\d.]+, partly estimated$/);
  expect(get("plot-tokens-now").textContent).toBe("41.0 k in the last minute");
  expect(drawn.map((u) => (u.data as unknown[][])[1])).toEqual([
    [0, 2, 1, 1],
    [0, 0.004, 0.25],
    [1_050, 0, 40_950, null],
    [60_000, 96_000, 32_000],
  ]);
});

test("the context has its window as a line, from when it was recorded", async () => {
  await show(odd);
  await until(() => expect(find("plot-context-drawn")).not.toBeNull());
  expect(get("plot-context-now").textContent).toBe("32.0 k of 128.0 k tokens, 25 % full");
  expect(get("plot-context-drawn").getAttribute("aria-label")).toMatch(/ 75 % full at most$/);
  const last = drawn.at(-1)?.data as unknown[][];
  expect(last[2]).toEqual([null, 128_000, 128_000]);
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await press("plot-context-copy");
  expect(copied).toHaveBeenCalledWith(
    "running_ms,tokens,window,percent\n30000,60000,,\n90000,96000,128000,75.0\n150000,32000,128000,25.0\n",
  );
  await press("plot-context-table");
  expect(get("plot-context-numbers").querySelector("tbody tr")?.textContent).toBe("30 s60.0 knot recorded–");
});

test("the context of a version that did not record the window is in tokens", async () => {
  await show({ ...odd, context: [{ at_ms: 0, tokens: 60_000, window: 0 }] });
  await until(() => expect(find("plot-context-now")).not.toBeNull());
  expect(get("plot-context-now").textContent).toBe("60.0 k tokens, the model's window was not recorded");
});

test("bars show where the time went, and the table has the same", async () => {
  await show(odd);
  await until(() => expect(find("plot-time-drawn")).not.toBeNull());
  const bars = [...get("plot-time-drawn").querySelectorAll("li")].map((l) => l.textContent);
  expect(bars).toEqual(["Model1 m 30 s, 60 %", "Commands59 s, 40 %", "Goalpost itself600 ms, 0 %"]);
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  await press("plot-time-copy");
  expect(copied.mock.calls[0]?.[0]).toBe(
    "kind,ms,percent,times\nmodel,90000,60.0,2\ncommands,59400,39.6,3\nhost,600,0.4,0\n",
  );
});

test("arrow keys move the cursor of a plot, whose values are below it and in words", async () => {
  await show(odd);
  await until(() => expect(find("plot-spend-drawn")).not.toBeNull());
  const plot = get("plot-spend-drawn");
  const at = (code: string) => {
    act(() => {
      plot.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true }));
    });
    expect(plot.getAttribute("aria-valuetext")).toBe(get("plot-spend-drawn-value").textContent);
    return get("plot-spend-drawn-value").textContent;
  };
  expect([plot.getAttribute("role"), plot.tabIndex]).toEqual(["slider", 0]);
  expect(get("plot-spend-drawn-value").textContent).toBe("");
  const [first, last] = [
    "Running time 30 s · Spent $0.0040 · Tokens 1.1 k",
    "Running time 2 m 30 s · Spent $0.25 · Tokens 42.0 k",
  ];
  expect([at("ArrowLeft"), at("ArrowLeft"), at("ArrowLeft"), at("ArrowRight"), at("ArrowRight")]).toEqual([
    last,
    first,
    first,
    last,
    last,
  ]);
  expect([at("Home"), at("End")]).toEqual([first, last]);
  expect(plot.getAttribute("aria-valuenow")).toBe("2");
});

test("a table shows the numbers of a plot in its place, and the plot returns", async () => {
  await show(odd);
  await press("plot-checks-table");
  const cells = [...get("plot-checks-numbers").querySelectorAll("tbody tr")].map((r) =>
    [...r.querySelectorAll("td")].map((c) => c.textContent),
  );
  expect(cells).toEqual([
    ["1 m 00 s", "1", "2", "3"],
    ["2 m 30 s", "2", "1", "3"],
  ]);
  expect(find("plot-checks-drawn")).toBeNull();
  await press("plot-checks-table");
  expect(find("plot-checks-drawn")).not.toBeNull();
});

test("CSV has the full numbers, in the clipboard and as a file", async () => {
  const copied = vi.spyOn(clipboard, "writeClipboard").mockResolvedValue(true);
  const files: { name: string; text: Promise<string> }[] = [];
  let blob: Blob | null = null;
  vi.spyOn(URL, "createObjectURL").mockImplementation((b) => {
    blob = b as Blob;
    return "blob:x";
  });
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    files.push({ name: this.download, text: blob?.text() ?? Promise.resolve("") });
  });
  await show(odd);
  await press("plot-spend-copy");
  const csv = "running_ms,usd,tokens\n30000,0.004,1050\n150000,0.25,42000\n";
  expect(copied).toHaveBeenCalledWith(csv);
  await press("plot-spend-download");
  expect(files[0]?.name).toBe(`${livelyId}-spend.csv`);
  expect(await files[0]?.text).toBe(csv);
});

test("a goal that did nothing yet says so, without buttons", async () => {
  const none = { passing: null, spend: [], rate: [], context: null, times: [] };
  await show({ ...none, checks: 1, rate_ms: 60_000, guessed: false });
  await until(() => expect(get("plot-checks-empty").textContent).toContain("No check has run yet"));
  expect(get("plot-spend-empty").textContent).toContain("No model was used yet");
  expect(find("plot-tokens-empty")).not.toBeNull();
  expect(get("plot-context-empty").textContent).toContain("No model was used yet");
  expect(get("plot-time-empty").textContent).toBe("Nothing was done yet.");
  expect([find("plot-checks-table"), find("plot-spend-copy"), find("plot-tokens-download")]).toEqual([
    null,
    null,
    null,
  ]);
});

test("what a turn cost is in the plots without another look", async () => {
  await show();
  await until(() => expect(find("plot-spend-now")).not.toBeNull());
  const before = get("plot-spend-now").textContent;
  act(() => {
    bridge.say(livelyId, { type: "usage", tokens_in: 1_000, tokens_out: 10, usd: 7 });
  });
  await until(() => expect(get("plot-spend-now").textContent).not.toBe(before));
});
