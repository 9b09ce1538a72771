import { expect, test } from "vitest";
import { TextPace } from "./textpace";

test("the first text waits for nothing, and what follows it three times as long as it took to draw", () => {
  const pace = new TextPace();
  pace.key(990);
  expect(pace.wait(1_000)).toBeLessThanOrEqual(0);
  pace.drew(2_000, 2_040);
  expect(pace.wait(2_060)).toBe(100);
  expect(pace.wait(2_160)).toBe(0);
});

test("while the user types, text is drawn four times a second at most", () => {
  const pace = new TextPace();
  pace.drew(1_000, 1_010);
  expect(pace.wait(1_040)).toBe(0);
  pace.key(1_040);
  expect(pace.wait(1_040)).toBe(220);
  expect(pace.wait(1_260)).toBe(0);
  pace.drew(1_260, 1_360); // slow: it rests longer than typing asks for
  expect(pace.wait(1_360)).toBe(300);
  pace.drew(2_000, 2_010); // long after the key
  expect(pace.wait(2_010)).toBe(30);
});
