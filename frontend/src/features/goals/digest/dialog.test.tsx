import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { all, find, get, mount, nth, press, until } from "@/testing/mount";
import { DigestDialog } from "./dialog";

async function draw(bridge = new FakeBridge()) {
  const { app } = await mount(<DigestDialog />, bridge);
  return { app, bridge };
}

test("who comes back reads what needs them first, and opens it", async () => {
  const { app } = await draw();
  await app.goals.greet(new Date("2026-03-13T18:00:00Z"));
  await until(() => find("digest") !== null);
  const titles = [...get("digest").querySelectorAll("h3")].map((h) => h.textContent.replace(/ \(.*/, ""));
  expect(titles).toEqual(["Needs you", "Failed", "Done"]);
  const first = nth(all("digest-goal"), 0);
  await press(nth([...first.querySelectorAll("button")], 0));
  expect(find("digest")).toBeNull();
  expect(app.state.openedGoal).toBe(first.dataset.goal);
});

test("three goals of each kind are shown, then all", async () => {
  const { app, bridge } = await draw();
  const one = [...bridge.goals.values()].find((g) => g.view.status === "completed");
  if (!one) throw new Error("the fake has no done goal");
  for (const id of ["d1", "d2", "d3", "d4"]) {
    const copy = Object.create(one, { view: { value: { ...one.view, id } } }) as typeof one;
    bridge.goals.set(id, copy);
  }
  const done = [...bridge.goals.values()].filter((g) => g.view.status === "completed").length;
  app.goals.showDigest(new Date("2026-03-13T18:00:00Z"));
  await until(() => find("digest-all") !== null);
  const ofDone = () => get("digest").querySelectorAll('[aria-label="Done"] [data-testid="digest-goal"]').length;
  expect(ofDone()).toBe(3);
  await press("digest-all");
  expect(ofDone()).toBe(done);
});

test("if nothing happened, nobody is disturbed", async () => {
  const bridge = new FakeBridge();
  bridge.goals.clear();
  const { app } = await draw(bridge);
  await app.goals.greet(new Date("2026-03-13T18:00:00Z"));
  expect(app.state.digestSince).toBe("");
  app.goals.showDigest(new Date("2026-03-13T18:00:00Z"));
  await until(() => find("digest")?.textContent.includes("Nothing needs you"));
});
