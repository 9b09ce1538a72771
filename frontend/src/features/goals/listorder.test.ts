import { beforeEach, expect, test } from "vitest";
import type { GoalCard } from "@/bridge/types";
import { blankView } from "@/bridge/fake/fixtures";
import { listLines, saveListView, savedListView, type ListView } from "./listorder";

beforeEach(() => localStorage.clear());

let made = 0;
const card = (objective: string, more: Partial<GoalCard>): GoalCard => ({
  ...blankView,
  id: objective,
  objective,
  created_at: new Date(1_000 * made++).toISOString(),
  ...more,
});

const cards = [
  card("b step 10", { status: "completed", exit: "done", usd: 1, dir: "/home/ada/shop" }),
  card("a step 2", { status: "paused", exit: "needs_user", usd: 0.2, dir: "/home/ada/infra" }),
  card("B step 9", { status: "running", usd: 0.5, dir: "/home/ada/shop" }),
  card("c", { status: "completed", exit: "done", usd: 3, dir: "" }),
];

const lines = (view: Partial<ListView>, only: Parameters<typeof listLines>[2] = "") =>
  listLines(cards, { grouping: "none", order: "newest", reversed: false, ...view }, only).map((l) =>
    l.kind === "head" ? `# ${l.title} ${l.count} ${l.usd}` : l.card.id,
  );

test("goals are sorted by age, need, name with numbers in their order, and cost", () => {
  expect(lines({ order: "newest" })).toEqual(["c", "B step 9", "a step 2", "b step 10"]);
  expect(lines({ order: "needs_you" })).toEqual(["a step 2", "B step 9", "c", "b step 10"]);
  expect(lines({ order: "name" })).toEqual(["a step 2", "B step 9", "b step 10", "c"]);
  expect(lines({ order: "cost" })).toEqual(["c", "b step 10", "B step 9", "a step 2"]);
  expect(lines({ order: "cost", reversed: true })).toEqual(["a step 2", "B step 9", "b step 10", "c"]);
});

test("goals are sorted by checks, time, folder and model, both ways, and equal ones stay newest first", () => {
  const some = [
    card("old", { checks: 2, checks_passed: 1, spent_ms: 5, dir: "/b", model: "m2" }),
    card("mid", { checks: 4, checks_passed: 4, spent_ms: 9, dir: "/a", engine: "claude", model: "m1" }),
    card("new", { checks: 0, checks_passed: 0, spent_ms: 5, dir: "/b", model: "m2" }),
  ];
  const sorted = (order: ListView["order"], reversed = false) =>
    listLines(some, { grouping: "none", order, reversed }, "").map((l) => (l.kind === "card" ? l.card.id : ""));
  expect(sorted("checks")).toEqual(["mid", "old", "new"]);
  expect(sorted("elapsed")).toEqual(["mid", "new", "old"]);
  expect(sorted("elapsed", true)).toEqual(["new", "old", "mid"]);
  expect(sorted("folder")).toEqual(["mid", "new", "old"]);
  expect(sorted("model", true)).toEqual(["new", "old", "mid"]);
});

test("statuses keep their places; folders stand where their first goal does", () => {
  expect(lines({ grouping: "status" })).toEqual([
    "# Needs you 1 0.2",
    "a step 2",
    "# Running 1 0.5",
    "B step 9",
    "# Done 2 4",
    "c",
    "b step 10",
  ]);
  expect(lines({ grouping: "folder" })).toEqual([
    "# No folder 1 3",
    "c",
    "# ~/shop 2 1.5",
    "B step 9",
    "b step 10",
    "# ~/infra 1 0.2",
    "a step 2",
  ]);
  expect(lines({ grouping: "folder", order: "name" }).filter((l) => l.startsWith("#"))).toEqual([
    "# ~/infra 1 0.2",
    "# ~/shop 2 1.5",
    "# No folder 1 3",
  ]);
  expect(lines({ grouping: "folder", order: "cost" }, "done")).toEqual([
    "# No folder 1 3",
    "c",
    "# ~/shop 1 1",
    "b step 10",
  ]);
});

test("the view is remembered, and what nobody knows is the usual one", () => {
  expect(savedListView(localStorage)).toEqual({ grouping: "status", order: "newest", reversed: false });
  saveListView(localStorage, { grouping: "folder", order: "cost", reversed: true });
  expect(savedListView(localStorage)).toEqual({ grouping: "folder", order: "cost", reversed: true });
  for (const bad of ["{", "null", '{"grouping":"toString","order":3}']) {
    localStorage.setItem("goalpost.goal-list", bad);
    expect(savedListView(localStorage)).toEqual({ grouping: "status", order: "newest", reversed: false });
  }
});
