import { expect, test } from "vitest";
import { browserPane, terminalPane } from "@/bridge/fake/fixtures";
import { dropTargetFor, restorableLayout, splitSide, type GroupInfo, type SavedNode } from "./layout";

const leaf = (id: string, views: string[], activeView?: string): SavedNode => ({
  type: "leaf",
  data: { id, views, ...(activeView ? { activeView } : {}) },
  size: 100,
});

const saved = JSON.stringify({
  grid: {
    root: {
      type: "branch",
      data: [
        leaf("1", ["t1", "t2"], "t2"),
        { type: "branch", data: [leaf("2", ["b1"], "b1"), leaf("3", ["t3"], "t3")], size: 200 },
      ],
    },
    width: 900,
    height: 600,
    orientation: "HORIZONTAL",
  },
  panels: { t1: { id: "t1" }, t2: { id: "t2" }, b1: { id: "b1" }, t3: { id: "t3" } },
  activeGroup: "3",
});

test("a saved layout is restored whole when all panes are there", () => {
  expect(restorableLayout(saved, () => true)).toEqual(JSON.parse(saved));
});

test("panes that are gone take their tab, their group and their branch with them", () => {
  const layout = restorableLayout(saved, (id) => id === "t1");
  expect(layout?.grid.root).toEqual({ type: "branch", data: [leaf("1", ["t1"], "t1")] });
  expect(Object.keys(layout?.panels ?? {})).toEqual(["t1"]);
  expect(layout?.activeGroup).toBeUndefined();
});

test("nothing left, no layout and broken JSON restore nothing", () => {
  expect(restorableLayout(saved, () => false)).toBeNull();
  for (const json of [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"grid":{},"panels":{}}',
    '{"grid":{"root":{"type":"leaf"}},"panels":{}}',
  ]) {
    expect(restorableLayout(json, () => true)).toBeNull();
  }
});

const group = (id: string, ...panes: GroupInfo["panes"]): GroupInfo => ({ id, panes });
const mine = terminalPane("t1");
const page = browserPane("b1");
const goals = terminalPane("t2", { goal_id: "g" });

test("the first pane stands alone; then terminals go left and browsers right", () => {
  expect(dropTargetFor(mine, [], "")).toEqual({ at: "alone" });
  expect(dropTargetFor(page, [group("1", mine)], "1")).toEqual({ at: "edge", side: "right" });
  expect(dropTargetFor(mine, [group("1", page)], "1")).toEqual({ at: "edge", side: "left" });
});

test("a user's pane becomes a tab beside its like, in the active group if it fits", () => {
  const groups = [group("1", mine), group("2", terminalPane("t9")), group("3", page)];
  expect(dropTargetFor(terminalPane("n"), groups, "2")).toEqual({ at: "within", group: "2" });
  expect(dropTargetFor(terminalPane("n"), groups, "3")).toEqual({ at: "within", group: "1" });
});

test("a goal's panes get their own place, and stay together", () => {
  expect(dropTargetFor(goals, [group("1", mine), group("3", page)], "1")).toEqual({ at: "below", group: "1" });
  const groups = [group("1", mine), group("2", goals)];
  expect(dropTargetFor(terminalPane("n", { goal_id: "g" }), groups, "1")).toEqual({ at: "within", group: "2" });
  expect(dropTargetFor(terminalPane("n", { goal_id: "h" }), groups, "1")).toEqual({ at: "below", group: "2" });
  expect(dropTargetFor(browserPane("n", { goal_id: "g" }), groups, "1")).toEqual({ at: "edge", side: "right" });
});

test("a wide group is split to the right, another one below", () => {
  expect(splitSide(1_200, 700)).toBe("right");
  expect(splitSide(600, 700)).toBe("below");
});
