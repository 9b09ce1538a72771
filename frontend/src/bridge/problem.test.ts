import { expect, test } from "vitest";
import { asProblem } from "./problem";

test("a problem is read out of an object, of JSON, of an error and of a string", () => {
  const p = { code: "refused", message: "no", hint: "do", field: "dir" };
  expect(asProblem(p)).toEqual(p);
  expect(asProblem(JSON.stringify(p))).toEqual(p);
  expect(asProblem(new Error("broken"))).toMatchObject({ code: "internal", message: "broken" });
  expect(asProblem("plain words")).toMatchObject({ code: "internal", message: "plain words" });
  expect(asProblem(undefined).message).not.toBe("");
});
