import { beforeEach, expect, test } from "vitest";
import type { GoalCard } from "@/bridge/types";
import { blankView } from "@/bridge/fake/fixtures";
import {
  describeFilter,
  filterGoals,
  noFilter,
  parseFilter,
  startOfDay,
  storedFilter,
  storeFilter,
  type GoalFilter,
} from "./filters";

beforeEach(() => localStorage.clear());

const since = startOfDay(Date.parse("2026-03-14T12:00:00Z"));
const at = (hours: number) => new Date(since + hours * 3_600_000).toISOString();
const card = (id: string, more: Partial<GoalCard>): GoalCard => ({ ...blankView, id, ...more });
const done = { status: "completed", exit: "done" } as const;

const cards = [
  card("a", { ...done, dir: "/shop", model: "m1", ended_at: at(1), usd: 1 }),
  card("b", { ...done, dir: "/infra", model: "m1", ended_at: at(-1), usd: 1 }),
  card("c", { status: "running", dir: "/shop", model: "m2", usd: 2 }),
  card("d", { status: "failed", exit: "limit_reached", dir: "/shop", engine: "codex", model: "", ended_at: at(2) }),
  card("e", { status: "aborted", exit: "user_aborted", dir: "", model: "m2", ended_at: at(3) }),
];

const found = (filter: Partial<GoalFilter>, spenders: ReadonlySet<string> | null = null) =>
  filterGoals(cards, { ...noFilter, ...filter }, { since, spenders });
const ids = (...given: Parameters<typeof found>) => found(...given).shown.map((c) => c.id);

test("filters combine: one of the chosen folders, one of the chosen models, and the status", () => {
  expect(ids({})).toEqual(["a", "b", "c", "d", "e"]);
  expect(ids({ folders: ["/shop", ""] })).toEqual(["a", "c", "d", "e"]);
  expect(ids({ folders: ["/shop", ""], models: ["m1", "m2"] })).toEqual(["a", "c", "e"]);
  expect(ids({ folders: ["/shop"], models: ["m1"], status: "done" })).toEqual(["a"]);
  expect(ids({ folders: ["/shop"], models: ["codex"], status: "running" })).toEqual([]);
});

test("each choice counts the goals that all other choices leave", () => {
  const { counts } = found({ folders: ["/shop"], status: "done" });
  expect(Object.fromEntries(counts.status)).toEqual({ done: 1, running: 1, failed: 1 });
  expect(Object.fromEntries(counts.folders)).toEqual({ "/shop": 1, "/infra": 1 });
  expect(Object.fromEntries(counts.models)).toEqual({ m1: 1 });
});

test("finished today are the goals that ended done or failed since midnight, without those that the user aborted", () => {
  expect(ids({ today: "finished" })).toEqual(["a", "d"]);
  expect(ids({ today: "finished", status: "failed" })).toEqual(["d"]);
});

test("spent today are the goals of the report of spending; until it is there, those with a cost", () => {
  expect(ids({ today: "spent" }, new Set(["d"]))).toEqual(["d"]);
  expect(ids({ today: "spent" })).toEqual(["a", "b", "c"]);
});

test("a filter names everything that hides goals", () => {
  expect(describeFilter(noFilter, "  ")).toEqual([]);
  const filter: GoalFilter = { status: "done", folders: ["/home/ada/shop", ""], models: ["m1"], today: "finished" };
  expect(describeFilter(filter, "cart\u202E")).toEqual([
    "search “cart‹U+202E›”",
    "status Done",
    "folder ~/shop or No folder",
    "model m1",
    "finished today",
  ]);
});

test("the filter is remembered, and what nobody knows is left out", () => {
  const filter: GoalFilter = { status: "failed", folders: ["/shop"], models: ["m1"], today: "spent" };
  storeFilter(localStorage, filter);
  expect(storedFilter(localStorage)).toEqual(filter);
  localStorage.setItem(
    "goalpost.goal-filter",
    '{"status":"constructor","folders":"/shop","models":[1],"today":"ever"}',
  );
  expect(storedFilter(localStorage)).toEqual(noFilter);
  localStorage.setItem("goalpost.goal-filter", "null");
  expect(storedFilter(localStorage)).toEqual(noFilter);
  expect(parseFilter({})).toEqual(noFilter);
});
