import { expect, test } from "vitest";
import { pasteable } from "./paste";

test("a paste cannot end itself and run what follows", () => {
  expect(pasteable("ls\x1b[201~\rrm -rf x\r")).toBe("ls[201~\rrm -rf x\r");
  expect(pasteable("a\tb\r\nc\u0003\u009b1m é 🙂")).toBe("a\tb\r\nc1m é 🙂");
});
