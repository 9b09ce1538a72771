import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { find, flushAll, get, mount, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

const press = async (id: string) => {
  act(() => get(id).click());
  await flushAll();
};

test("a template asks for its values and fills the draft", async () => {
  const { app } = await mount(<NewGoalDialog />, undefined, (app) => app.start());
  act(() => app.newGoalFrom("tests-pass"));
  await until(() => expect(find("template-fields")).not.toBeNull());
  expect((get("parameter-command") as HTMLInputElement).value).toBe("npm test");
  await press("template-fill");
  expect(get("template-problem").textContent).toContain("part needs a value");
  write("parameter-part", "cart");
  write("parameter-command", "make cart-test");
  await press("template-fill");
  expect(find("template-fields")).toBeNull();
  expect(document.activeElement).toBe(get("field-objective"));
  expect((get("field-objective") as HTMLTextAreaElement).value).toBe("Find the failure in cart, and fix it");
  const written = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];
  expect(written.map((field) => field.value)).toContain("make cart-test");
});

test("the next New goal has no template", async () => {
  const { app } = await mount(<NewGoalDialog />, undefined, (app) => app.start());
  act(() => app.newGoalFrom("tests-pass"));
  await until(() => expect(find("template-fields")).not.toBeNull());
  act(() => app.closeNewGoal());
  act(() => app.newGoal());
  await flushAll();
  expect(find("template-fields")).toBeNull();
});
