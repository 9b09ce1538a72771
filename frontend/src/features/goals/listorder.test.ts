import { beforeEach, expect, test } from "vitest";
import type { GoalCard } from "@/bridge/types";
import { blankView } from "@/bridge/fake/fixtures";
import { groupOf } from "@/store/goalcards";
import { listLines, saveListView, savedListView, usualView, withToggled, type ListView } from "./listorder";

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

const lines = (view: Partial<ListView>, of = cards) =>
  listLines(of, { ...usualView, grouping: "none", ...view }).map((l) =>
    l.kind === "head" ? `# ${l.title} ${l.count} ${l.usd}` : "  ".repeat(l.depth) + l.card.id,
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
  const sorted = (order: ListView["order"], reversed = false) => lines({ order, reversed }, some);
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
  const done = cards.filter((c) => groupOf(c) === "done");
  expect(lines({ grouping: "folder", order: "cost" }, done)).toEqual([
    "# No folder 1 3",
    "c",
    "# ~/shop 1 1",
    "b step 10",
  ]);
});

test("a folded group keeps its head with the number of its goals, and unfolds again", () => {
  const folded = withToggled({ ...usualView, grouping: "folder" }, "/home/ada/shop");
  expect(lines(folded)).toEqual(["# No folder 1 3", "c", "# ~/shop 2 1.5", "# ~/infra 1 0.2", "a step 2"]);
  expect(lines(withToggled(folded, "/home/ada/shop"))).toContain("B step 9");
  expect(lines(withToggled(folded, ""))).toEqual(["# No folder 1 3", "# ~/shop 2 1.5", "# ~/infra 1 0.2", "a step 2"]);
});

test("goals that work for another one are below it in the order of the list, and alone where it is missing", () => {
  const done = { status: "completed", exit: "done" } as const;
  const family = [
    card("parent", { status: "running", usd: 1 }),
    card("cheap child", { ...done, parent: "parent", usd: 2 }),
    card("dear child", { status: "running", parent: "parent", usd: 9 }),
    card("grandchild", { status: "running", parent: "dear child", usd: 30 }),
    card("other", { status: "running", usd: 5 }),
  ];
  expect(lines({ order: "cost" }, family)).toEqual([
    "other",
    "parent",
    "  dear child",
    "    grandchild",
    "  cheap child",
  ]);
  expect(lines({ grouping: "status" }, family)).toEqual([
    "# Running 4 45",
    "other",
    "parent",
    "  dear child",
    "    grandchild",
    "# Done 1 2",
    "cheap child",
  ]);
});

test("the view is remembered, and what nobody knows is the usual one", () => {
  expect(savedListView(localStorage)).toEqual(usualView);
  const view: ListView = { grouping: "folder", order: "cost", reversed: true, closed: ["done", "/srv"], strip: false };
  saveListView(localStorage, view);
  expect(savedListView(localStorage)).toEqual(view);
  for (const bad of ["{", "null", '{"grouping":"toString","order":3,"closed":[5],"strip":"no"}']) {
    localStorage.setItem("goalpost.goal-list", bad);
    expect(savedListView(localStorage)).toEqual(usualView);
  }
});
