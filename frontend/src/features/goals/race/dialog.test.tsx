import { act } from "@/testing/act";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { raceId } from "@/bridge/fake/race";
import type { App } from "@/store/app";
import { all, find, get, mount, until } from "@/testing/mount";
import { RaceDialog } from "./dialog";

let bridge: FakeBridge;
let app: App;

beforeAll(() => import("@/features/goals/changes/highlight")); // so that the lines have their colors at once
beforeEach(async () => {
  bridge = new FakeBridge();
  ({ app } = await mount(<RaceDialog />, bridge));
});

async function openRace() {
  act(() => app.set({ race: raceId }));
  await until(() => find("race-differences") !== null);
}

test("each changed file shows what each runner changed in it", async () => {
  await openRace();
  const row = all("race-file").find((e) => e.textContent.includes("web/money.ts"));
  expect(row?.textContent).toBe("web/money.tsunchanged+13 −3unchanged");
});

test("an open file shows the changes of the runners beside one another", async () => {
  await openRace();
  expect(find("race-side")).toBeNull();
  const row = all("race-file").find((e) => e.textContent.includes("web/checkout.ts"));
  act(() => row?.click());
  await until(() => all("diff").length === 3);
  expect(all("race-side").map((e) => e.textContent.includes("did not change"))).toEqual([false, false, false]);
  expect(all("race-side")[1]?.textContent).toContain("adds a coupon (Claude Code)");
  act(() =>
    all("race-file")
      .find((e) => e.textContent.includes("web/money.ts"))
      ?.click(),
  );
  await until(() => all("diff").length === 1);
  expect(all("race-side")[0]?.textContent).toContain("This runner did not change the file.");
});

test("the counts of an engine with its own sign-in are not shown as zero", async () => {
  bridge.race.runners?.forEach((r) => (r.login = true));
  await openRace();
  expect(get("race").textContent).toContain("not counted");
});

test("once all have ended, the reviewer is asked, and its order and reasons are shown", async () => {
  Object.assign(bridge.race, { can_rank: true, ranked_by: "" });
  await openRace();
  await until(() => get("race-ranked-by").textContent.startsWith("Ranked by anthropic/claude-sonnet-4.5"));
  expect(all("race-why")[1]?.textContent).toBe("It keeps the public names.");
  expect(all("race-runner")[1]?.textContent).toContain("Ranked first");
});

test("without a reviewer, the race says how it is ranked", async () => {
  Object.assign(bridge.race, { ranked_by: "", rank_note: "ranked by size: no model is chosen as reviewer" });
  await openRace();
  expect(get("race-ranked-by").textContent).toBe("Here ranked by size: no model is chosen as reviewer.");
});
