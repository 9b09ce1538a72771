import { act } from "@/testing/act";
import { expect, test } from "vitest";
import type { Action } from "@/lib/actions";
import { all, find, mount, nth, press, until } from "@/testing/mount";
import { LeaderKeys } from "./leaderkeys";

test("the leader lists each second key that does something now, and a click does the same", async () => {
  const done: string[] = [];
  const action = (title: string, leader: string, can = true): Action => ({
    id: title,
    title,
    group: "g",
    where: "",
    words: [],
    keys: [],
    leader,
    enabled: () => can,
    run: () => void done.push(title),
  });
  const actions = [action("New goal", "n"), action("No key", ""), action("Not now", "x", false)];
  const { app } = await mount(<LeaderKeys actions={actions} />);
  expect(find("leader-keys")).toBeNull();
  act(() => app.set({ leader: true }));
  expect(find("leader-keys"), "who knows the key does not see the list").toBeNull();
  await until(() => expect(find("leader-keys")).not.toBeNull());
  expect(all("leader-key").map((k) => k.textContent)).toEqual(["NNew goal"]);
  await press(nth(all("leader-key"), 0));
  expect([done, app.state.leader]).toEqual([["New goal"], false]);
});
