import { expect, test } from "vitest";
import type { TryOutput } from "@/bridge/types";
import { get, mount } from "@/testing/mount";
import { TryResultLine } from "./tryresult";

const out: TryOutput = { outcome: "cannot_run", detail: "", output: "", exit_code: 0, ms: 0 };

async function words(part: Partial<TryOutput>) {
  await mount(
    <TryResultLine shell work={[]} tried={{ state: "done", out: { ...out, ...part } }} onWork={() => undefined} />,
  );
  return get("try-result").textContent;
}

test("a check that could not be started shows no exit code and no time", async () => {
  expect(await words({ detail: "Command not found: pytset" })).toBe("Cannot runCommand not found: pytset");
});

test("one that ran shows both", async () => {
  expect(await words({ outcome: "fails_now", exit_code: 1, ms: 3_000 })).toContain("Runs and fails now (exit 1, 3");
});
