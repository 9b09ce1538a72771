import { act } from "@/testing/act";
import { beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { summary } from "@/store/goals";
import { groupOf, groups } from "@/store/goalcards";
import { all, choose, find, flushAll, get, mount, nth, press, until, write } from "@/testing/mount";
import { Dashboard } from "./dashboard";
import { NoteLine } from "./activity/noteline";

const viewport = { width: window.innerWidth, height: window.innerHeight };
const { happyDOM } = window as unknown as { happyDOM: { setViewport: (size: Partial<typeof viewport>) => void } };
const resize = (size: Partial<typeof viewport>) => act(() => happyDOM.setViewport(size));

beforeEach(() => {
  localStorage.clear();
  resize(viewport);
});

const running = "01m0running00000000000000a1";

/** The dashboard with one goal selected, all of it loaded. */
async function open(bridge: FakeBridge, goal: string) {
  const { app } = await mount(<Dashboard onShowPanes={() => undefined} />, bridge, async (a) => {
    await a.start();
    a.sync.select(goal);
  });
  await until(() => expect(app.state.detail.journalLoaded && app.state.goals.loaded).toBe(true));
  await app.approvals.load();
  return app;
}

test("what the kernel refused a program is in the log under its own name", async () => {
  const note = { seq: 1, kind: "warning", at: "", afterStep: 0 } as const;
  await mount(
    <>
      <NoteLine note={{ ...note, what: "sandbox", text: "python3 was refused mount" }} />
      <NoteLine note={{ ...note, what: "iterations", text: "80 % of 300 turns" }} />
    </>,
  );
  expect(all("log-note").map((n) => `${n.dataset.what}: ${n.textContent}`)).toEqual([
    "sandbox: Sandbox notice python3 was refused mount",
    "iterations: Warning 80 % of 300 turns",
  ]);
});

test("a goal whose call waits needs the user, and its request is above the steps", async () => {
  const app = await open(new FakeBridge(), running);
  act(() => app.openGoal(running));
  await until(() => expect(get("asks").textContent).toContain("1 of 2"));
  expect(get("goal-header").contains(get("asks"))).toBe(true);
  expect(get("goal-header").textContent).toContain("Needs you");
  const { by } = summary(app.state.goals.byId);
  expect(by.needs_you.map((c) => c.id)).toContain(running);
  expect(by.running.map((c) => c.id)).not.toContain(running);
  await press("asks-open");
  expect(app.state.approvalsOpen).toBe(true);
});

test("the list can be limited to one status: the keys stay in it, and a status without goals is not offered", async () => {
  const app = await open(new FakeBridge(), running);
  const { by } = summary(app.state.goals.byId);
  const goals = Object.keys(app.state.goals.byId).length;
  const reached = async () => {
    const ids = new Set<string>();
    for (let i = 0; i < goals; i++) {
      ids.add(app.state.detail.id);
      act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyJ" })));
      await flushAll();
    }
    return ids;
  };
  expect(await reached()).toContain(by.done[0]?.id);
  app.sync.select(by.needs_you[0]?.id ?? "");
  const status = (g: string) =>
    nth(
      all("goal-status").filter((b) => b.dataset.status === g),
      0,
    );
  await press(status("needs_you"));
  expect(by.needs_you.length).toBeGreaterThan(1);
  expect(await reached()).toEqual(new Set(by.needs_you.map((c) => c.id)));
  const offered = all("goal-status").map((b) => b.dataset.status);
  expect(offered).toEqual(["", ...groups.filter((g) => by[g].length > 0)]);
  // The list has one Tab stop; the arrow keys move to the next status.
  expect(all("goal-status").filter((b) => b.tabIndex === 0)).toEqual([status("needs_you")]);
  act(
    () => void status("needs_you").dispatchEvent(new KeyboardEvent("keydown", { code: "ArrowRight", bubbles: true })),
  );
  expect(status("running").getAttribute("aria-pressed")).toBe("true");
  expect(document.activeElement).toBe(status("running"));
});

test("the list is grouped and sorted as it was the last time, and the keys go in that order", async () => {
  localStorage.setItem("goalpost.goal-list", JSON.stringify({ grouping: "status", order: "cost" }));
  const app = await open(new FakeBridge(), running);
  choose("goal-grouping", "folder");
  choose("goal-grouping", "none");
  const saved = { grouping: "none", order: "cost", reversed: false };
  expect(JSON.parse(localStorage.getItem("goalpost.goal-list") ?? "")).toMatchObject(saved);
  const cards = Object.values(app.state.goals.byId).map((k) => k.card);
  const dearest = [...cards].sort((a, b) => b.usd - a.usd).map((c) => c.id);
  app.sync.select(dearest[0] ?? "");
  await flushAll();
  act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyJ" })));
  expect(app.state.detail.id).toBe(dearest[1]);
});

test("the table sorts by its headers, opens a goal with Enter, and Escape comes back to it", async () => {
  const app = await open(new FakeBridge(), running);
  act(() => app.go("goals"));
  const sorting = () =>
    ["needs_you", "name", "checks", "elapsed", "cost", "folder", "model"].flatMap((order) => {
      const sort = get(`goal-column-${order}`).parentElement?.getAttribute("aria-sort");
      return sort === "none" ? [] : [`${order} ${sort}`];
    });
  choose("goal-grouping", "none");
  expect(sorting()).toEqual([]);
  await press("goal-column-cost");
  expect(sorting()).toEqual(["cost descending"]);
  const cards = Object.values(app.state.goals.byId).map((k) => k.card);
  const cheapest = Math.min(...cards.map((c) => c.usd));
  await press("goal-column-cost");
  expect(sorting()).toEqual(["cost ascending"]);
  act(() => app.sync.select(cards.find((c) => c.usd > cheapest)?.id ?? ""));
  const key = (code: string) => act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code })));
  for (const _ of cards) key("KeyK");
  const first = app.state.detail.id;
  expect(app.state.goals.byId[first]?.card.usd).toBe(cheapest);
  key("Enter");
  expect(app.state.openedGoal).toBe(first);
  expect(find("goal-column-cost")).toBeNull();
  key("Escape");
  expect(app.state.route).toBe("goals");
  expect(sorting()).toEqual(["cost ascending"]);
  key("Escape");
  expect(app.state.route).toBe("workspace");
});

test("the counts of the filter follow the search", async () => {
  const app = await open(new FakeBridge(), running);
  const count = (b: HTMLElement): [string, string] => [b.dataset.status ?? "", b.lastChild?.textContent ?? ""];
  const counts = (): Record<string, string> => Object.fromEntries(all("goal-status").map(count));
  const before = counts();
  expect(before[""]).toBe(String(app.state.goals.total));
  const [one] = Object.values(app.state.goals.byId);
  if (!one) throw new Error("no goal");
  write("goal-search", one.card.objective);
  await until(() => expect(counts()).toEqual({ "": "1", [groupOf(one.card)]: "1" }));
  write("goal-search", "");
  await until(() => expect(counts()).toEqual(before));
});

test("a search without a result can be cleared", async () => {
  await open(new FakeBridge(), running);
  write("goal-search", "there is no such goal");
  await until(() => expect(get("goal-list-empty").textContent).toContain("No goal matches."));
  await press("goal-filter-clear");
  await until(() => expect(find("goal-list-empty")).toBeNull());
  expect(get("goal-search").getAttribute("value")).toBe("");
});

test("a phone shows the list or the goal that was opened; the one on the way stays in the list", async () => {
  resize({ width: 390 });
  const app = await open(new FakeBridge(), running);
  const hidden = (el: Element | null) => el?.className.includes("max-[640px]:hidden");
  const list = () => get("goal-list").closest("nav");
  expect(hidden(list())).toBe(false);
  expect(find("goal-back")).toBeNull();
  act(() => app.openGoal(running));
  expect(hidden(list())).toBe(true);
  await press("goal-back");
  expect(hidden(list())).toBe(false);
});

test("on a phone the head of a goal that has ended is folded to its result and two buttons", async () => {
  const app = await open(new FakeBridge(), "01m0done0000000000000000e5");
  act(() => app.openGoal("01m0done0000000000000000e5"));
  const folded = () => get("goal-header").querySelector("[data-testid=todos]");
  const hides = (el: Element | null): boolean =>
    el !== null && (el.classList.contains("max-[640px]:hidden") || hides(el.parentElement));
  await until(() => expect(get("goal-result").textContent).not.toBe(""));
  expect(hides(folded())).toBe(true);
  expect(hides(get("goal-result"))).toBe(false);
  await press("goal-details");
  expect(get("goal-details").getAttribute("aria-expanded")).toBe("true");
  expect(hides(folded())).toBe(false);
  await press("receipt-open");
  await until(() => expect(get("receipt-dialog").textContent).toContain(app.state.detail.view?.objective));
});

test("what the agent noted is below its plan, with its numbers", async () => {
  const app = await open(new FakeBridge(), running);
  act(() => app.openGoal(running));
  await until(() => expect(get("goal-header").textContent).not.toBe(""));
  expect(find("agent-notes")).toBeNull();
  const view = app.state.detail.view;
  if (!view) throw new Error("no goal is open");
  const notes = [{ n: 3, text: "port 7443\u202E" }];
  act(() => {
    app.set({ detail: { ...app.state.detail, view: { ...view, notes } } });
  });
  expect(get("goal-header").querySelector("[data-testid=agent-notes]")?.textContent).toBe(
    "Notes of the agent 13. port 7443‹U+202E›",
  );
});

test("X selects goals; an action counts and asks about those that it applies to, and Escape clears", async () => {
  const bridge = new FakeBridge();
  const app = await open(bridge, running);
  act(() => app.go("goals"));
  const key = (code: string) => act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code })));
  const { by } = summary(app.state.goals.byId);
  const done = by.done[0]?.id ?? "";
  key("KeyX");
  act(() => app.sync.select(done));
  await until(() => expect(app.state.detail.view?.id).toBe(done));
  key("KeyX");
  expect(app.state.marked).toEqual([running, done]);
  expect(get("selection-bar").textContent).toContain("2 selected");
  expect(get("selection-pause").textContent).toBe("Pause 1");
  await press("selection-delete");
  const { question } = app.state;
  expect(question?.title).toBe("Delete this goal?");
  expect(question?.text).toContain("Release notes for 2.3");
  await act(async () => question?.run());
  expect(bridge.calls.filter((c) => c.method === "GoalAPI.Delete").map((c) => c.args[0])).toEqual([done]);
  expect(app.state.marked).toEqual([running]);
  act(() => app.set({ question: null }));
  key("Escape");
  expect(app.state.marked).toEqual([]);
  expect(app.state.route).toBe("goals");
});

test("Ctrl+A selects all goals of the table, and a failure is reported with its goal", async () => {
  const bridge = new FakeBridge();
  const app = await open(bridge, running);
  act(() => app.go("goals"));
  const selectAll = new KeyboardEvent("keydown", { code: "KeyA", ctrlKey: true, cancelable: true });
  act(() => void window.dispatchEvent(selectAll));
  expect(new Set(app.state.marked)).toEqual(new Set(Object.keys(app.state.goals.byId)));
  const { by } = summary(app.state.goals.byId);
  const problems = vi.spyOn(app.notices, "problem");
  await press("selection-delete");
  const failing = vi.spyOn(bridge, "call").mockRejectedValue(new Error("the disk is full"));
  await act(async () => app.state.question?.run());
  failing.mockRestore();
  expect(problems).toHaveBeenCalledTimes(1);
  const reported = problems.mock.calls[0]?.[0];
  expect(reported?.message).toMatch(/^(\d+) of \1 goals were not deleted$/);
  expect(reported?.hint).toContain(`• ${by.done[0]?.objective ?? ""}: the disk is full`);
  expect(app.state.goals.byId[by.done[0]?.id ?? ""]).toBeDefined();
});

test("the composer is below the activity; S and Steer put the cursor into it, and what is sent reaches the agent", async () => {
  const bridge = new FakeBridge();
  const app = await open(bridge, running);
  act(() => app.openGoal(running));
  await until(() => get("page-note"));
  act(() => void window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyS", cancelable: true })));
  expect(document.activeElement).toBe(get("page-note"));
  expect(app.state.steerOpen).toBe(false);
  (document.activeElement as HTMLElement).blur();
  await press("goal-steer");
  expect(document.activeElement).toBe(get("page-note"));
  write("page-note", "leave the styles alone");
  await press("page-send");
  expect(bridge.calls.find((c) => c.method === "GoalAPI.Steer")?.args).toEqual([running, "leave the styles alone"]);
});
