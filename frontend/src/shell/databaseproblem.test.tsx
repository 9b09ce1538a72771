import { expect, test } from "vitest";
import { CallError } from "@/bridge/problem";
import type { Call } from "@/bridge/methods";
import type { DatabaseProblem as Problem } from "@/bridge/types";
import { act } from "@/testing/act";
import { find, get, mount } from "@/testing/mount";
import { DatabaseProblem } from "./databaseproblem";

const damaged: Problem = {
  message: "the database /home/ada/goalpost.db is damaged: a part of it is missing or was overwritten",
  hint: "",
  damaged: true,
  other_version: false,
  can_wait: false,
  copies: [
    { at: "2026-11-28T09:12:00Z", bytes: 1 },
    { at: "2026-11-27T08:00:00Z", bytes: 1 },
  ],
};

/** A fake of the window's calls, which notes them. */
function calls(answer: (method: string, args: unknown[]) => unknown) {
  const made: unknown[][] = [];
  const call = ((method: string, ...args: unknown[]) => {
    made.push([method, ...args]);
    return Promise.resolve().then(() => answer(method, args));
  }) as unknown as Call;
  return { made, call };
}

async function press(testid: string) {
  get(testid).click();
  await act(async () => {
    await Promise.resolve();
  });
}

test("a damaged database offers its newest copy; the former file is named, and the window opens again", async () => {
  const { made, call } = calls((method) => (method === "DatabaseAPI.Restore" ? "/home/ada/goalpost-broken.db" : null));
  await mount(<DatabaseProblem problem={damaged} call={call} />);
  expect(get("database-problem").textContent).toContain("is damaged");
  expect(get("restore").textContent).toMatch(/^Restore the copy of .*2026/);
  expect(find("restart")).toBeNull();
  await press("restore");
  expect(get("database-problem").textContent).toContain("is kept: /home/ada/goalpost-broken.db");
  await press("restart");
  expect(made).toEqual([["DatabaseAPI.Restore", "2026-11-28T09:12:00Z"], ["DatabaseAPI.Restart"]]);
});

test("without a copy only a new start is offered, and a refusal is shown with its hint", async () => {
  const { made, call } = calls(() => {
    throw new CallError({ code: "conflict", message: "another Goalpost has it open", hint: "close it", field: "" });
  });
  await mount(<DatabaseProblem problem={{ ...damaged, copies: [] }} call={call} />);
  expect(find("restore")).toBeNull();
  await press("start-anew");
  expect(made).toEqual([["DatabaseAPI.StartAnew"]]);
  expect(get("database-problem").textContent).toContain("another Goalpost has it open: close it");
  expect(find("restart")).toBeNull();
});

test("a database that is only locked is tried again, and never replaced", async () => {
  const locked: Problem = { ...damaged, message: "the database is locked by python3 (pid 7)", damaged: false };
  const { made, call } = calls(() => null);
  await mount(<DatabaseProblem problem={locked} call={call} />);
  expect(find("start-anew")).toBeNull();
  expect(get("restart").textContent).toBe("Try again");
  await press("restart");
  expect(made).toEqual([["DatabaseAPI.Restart"]]);
});

test("a host process of another version can stay", async () => {
  const { made, call } = calls(() => null);
  const other: Problem = {
    ...damaged,
    message: "the host process has another version",
    damaged: false,
    other_version: true,
    can_wait: true,
  };
  await mount(<DatabaseProblem problem={other} call={call} />);
  await press("later");
  expect(made).toEqual([["DatabaseAPI.Later"]]);
});

test("a host process of another version is ended with one click", async () => {
  const { made, call } = calls(() => null);
  const other: Problem = {
    ...damaged,
    message: "the host process has another version",
    damaged: false,
    other_version: true,
  };
  await mount(<DatabaseProblem problem={other} call={call} />);
  expect(get("restart").textContent).toBe("End it and open this one");
  await press("restart");
  expect(made).toEqual([["DatabaseAPI.Restart"]]);
});
