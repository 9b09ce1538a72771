import { expect, test } from "vitest";
import { difference } from "./hidpilayer";

test("the difference of two pictures is the least rectangle around what changed", () => {
  const before = new Uint32Array(6 * 4);
  const after = before.slice();
  expect(difference(before, after, 6)).toBeNull();
  after[1 * 6 + 4] = 1;
  expect(difference(before, after, 6)).toEqual({ x: 4, y: 1, width: 1, height: 1 });
  after[3 * 6 + 2] = 7;
  expect(difference(before, after, 6)).toEqual({ x: 2, y: 1, width: 3, height: 3 });
});
