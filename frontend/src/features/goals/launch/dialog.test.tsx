import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest } from "@/bridge/types";
import type { App } from "@/store/app";
import { all, find, get, mount, nth, press, until, write } from "@/testing/mount";
import { LaunchDialog } from "./dialog";
import { newRow, pastedRows } from "./rows";

let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  ({ app, bridge } = await mount(<LaunchDialog />, new FakeBridge({ empty: true }), (a) =>
    a.set({ launchOpen: true }),
  ));
  await until(() => expect(all("launch-row")).toHaveLength(2));
});

const started = () =>
  bridge.calls.filter((c) => c.method === "GoalAPI.Start").map((c) => (c.args[0] as GoalRequest).objective);

function fill(n: number, objective: string, command: string) {
  write(nth(all("launch-objective"), n), objective);
  write(nth(all("launch-command"), n), command);
  write(nth(all("launch-dir"), n), "/home/ada/shop");
}

test("each filled row is started, and one that is refused stays with the reason", async () => {
  write(nth(all("launch-objective"), 0), "Fix the cart");
  await press("launch-start");
  expect(get("launch-note").textContent).toContain("Give a command");
  expect(started()).toEqual([]);
  fill(0, "Fix the cart", "npm test");
  fill(1, "Fix the shop", "make test");
  expect(get("launch-start").textContent).toContain("Start 2 goals");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  await press("launch-start");
  await until(() => expect(get("launch-note").textContent).toBe("no such folder · make it"));
  expect(app.state.launchRows.map((r) => r.objective)).toEqual(["Fix the cart"]);
  await press("launch-start");
  await until(() => expect(find("launch-row")).toBeNull());
  expect(started().toSorted()).toEqual(["Fix the cart", "Fix the cart", "Fix the shop"]);
  expect(app.state.route).toBe("goals");
});

test("a row that is written while others start is kept", async () => {
  fill(0, "Fix the cart", "npm test");
  act(() => {
    const enter = { code: "Enter", ctrlKey: true, bubbles: true, cancelable: true };
    get("launch-start").dispatchEvent(new KeyboardEvent("keydown", enter));
    app.set({ launchRows: [...app.state.launchRows, newRow({ objective: "Fix the shop" })] });
  });
  await until(() => expect(started()).toEqual(["Fix the cart"]));
  await until(() => expect(app.state.launchRows.map((r) => r.objective)).toEqual(["", "Fix the shop"]));
  expect(get("launch-row")).toBeDefined();
});

test("rows stay when the dialog is closed", async () => {
  write(nth(all("launch-objective"), 0), "Fix the cart");
  await press("launch-add");
  await press("launch-cancel");
  expect(find("launch-row")).toBeNull();
  act(() => app.set({ launchOpen: true }));
  await until(() => expect(all("launch-row")).toHaveLength(3));
  expect((nth(all("launch-objective"), 0) as HTMLInputElement).value).toBe("Fix the cart");
  await press(nth(all("launch-remove"), 0));
  expect(all("launch-row")).toHaveLength(2);
});

test("pasted_ListOrTable_MakesRows", () => {
  const rows = pastedRows("Fix the cart\r\n\nFix the shop\tnpm test\t/srv/shop\n", "/home/ada");
  expect(rows.map(({ objective, command, dir }) => [objective, command, dir])).toEqual([
    ["Fix the cart", "", "/home/ada"],
    ["Fix the shop", "npm test", "/srv/shop"],
  ]);
  expect(new Set([...rows, newRow()].map((r) => r.id)).size).toBe(3);
});
