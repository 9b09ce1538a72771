import { expect, test } from "vitest";
import { longGoal } from "@/bridge/fake/longgoal";
import type { TimelineEntry } from "@/bridge/types";
import { all, get, mount, press } from "@/testing/mount";
import { rowsOf, Timeline } from "./timeline";

const mark = (what: string, detail: string): TimelineEntry => ({ at_ms: 1, what, detail, claim: 0, step: 0 });

test("consecutive neutral critics are one row with the newest text", () => {
  const calm = "critic:progressing";
  const rows = rowsOf([
    mark(calm, "a"),
    mark(calm, "b"),
    mark("verify:fail", "c"),
    mark(calm, "d"),
    mark("critic:stuck", "e"),
  ]);
  expect(rows.map((r) => `${r.mark.detail} ${r.times}`)).toEqual(["b 2", "c 1", "d 1", "e 1"]);
});

test("a goal of eight hours shows its last verdicts, and the earlier ones at a press", async () => {
  const { view } = longGoal();
  expect(view.seq).toBeGreaterThan(2_000);
  await mount(<Timeline marks={view.marks ?? []} length={view.spent_ms} />);
  expect(all("mark").length).toBe(7);
  expect(all("mark").at(-1)?.dataset.what).toBe("verify:pass");
  await press("marks-earlier");
  expect(all("mark").filter((m) => m.dataset.what === "verify:fail").length).toBe(11);
  expect(get("timeline").querySelector('[data-testid="marks-earlier"]')).toBeNull();
});
