import { expect, test } from "vitest";
import type { GoalEvent } from "@/bridge/types";
import { get, mount } from "@/testing/mount";
import { emptyJournal, withFact } from "@/store/journal";
import { NoteLine } from "./noteline";

async function draw(event: object) {
  const [note] = withFact(emptyJournal, {
    seq: 1,
    at: "2026-11-28T10:00:00Z",
    goal_id: "g",
    ...event,
  } as GoalEvent).notes;
  if (!note) throw new Error("the event has no row");
  await mount(<NoteLine note={note} />);
  return get("log-note");
}

const critic = (verdict: string, reason: string) => draw({ type: "critic", verdict, reason, step: 3 });

test("a critic whose reply could not be read shows no JSON", async () => {
  expect((await critic("unparsed", '{"verdict":"PROGRESSING"}')).textContent).toBe("Critic gave no clear answer");
});

test("a critic's verdict is a sentence, with its reason as Markdown", async () => {
  const line = await critic("STUCK", "the agent repeats `npm test` *again*");
  expect(line.textContent).toBe("Critic sees no progress: the agent repeats npm test again");
  expect(line.querySelector("code")?.textContent).toBe("npm test");
});

test("a question is Markdown, and tags in it stay text", async () => {
  const line = await draw({ type: "paused", exit: "needs_user", reason: "the agent asks: *Legacy Ltd*? <img src=x>" });
  expect(line.querySelector("em")?.textContent).toBe("Legacy Ltd");
  expect(line.querySelector("img")).toBeNull();
  expect(line.textContent).toContain("<img src=x>");
});

test("a user's own note stays as it was typed", async () => {
  expect((await draw({ type: "steered", text: "use *glob* patterns" })).textContent).toContain("use *glob* patterns");
});
