import { expect, test } from "vitest";
import { browserPane } from "@/bridge/fake/fixtures";
import { find, get, mount } from "@/testing/mount";
import { TakeoverBar } from "./takeover";

const goalPage = (driver: "" | "user" | "agent") => browserPane("b1", { goal_id: "01m0g", driver });

test("the page of a goal that runs says who drives it, and lets that change", async () => {
  await mount(<TakeoverBar pane={goalPage("agent")} />);
  expect(get("driver").dataset.driver).toBe("agent");
  expect(find("take-over")).not.toBeNull();
});

test("a page that was taken over can be handed back", async () => {
  await mount(<TakeoverBar pane={goalPage("user")} />);
  expect(find("take-over")).toBeNull();
  expect(find("hand-back")).not.toBeNull();
});

test("the page of a goal that is paused or over claims no driver, and waits for nobody", async () => {
  await mount(<TakeoverBar pane={goalPage("")} />);
  expect(find("driver")).toBeNull();
});
