import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { blankView } from "@/bridge/fake/fixtures";
import { cardAfterEvent } from "@/store/goalcards";
import { find, get, mount, until } from "@/testing/mount";
import { assuranceOf } from "./assurancelabel";
import { Card } from "./card";
import { ReceiptDialog } from "./receipt";

const done = { ...blankView, status: "completed" as const, exit: "done" as const, assurance: "strong" as const };
const shared = {
  ...done,
  assurance: "shared" as const,
  assurance_words: "Verified (the agent could have influenced the check)",
};

test("a done goal says what it proves, also before its words are there", () => {
  expect(assuranceOf(shared)).toEqual({ words: shared.assurance_words, short: "Verified, shared", tone: "calm" });
  expect(assuranceOf({ ...done, assurance: "judged", assurance_words: "Judged by m1" })?.tone).toBe("warn");
  expect(assuranceOf(done)?.words).toBe("Verified");
  expect(assuranceOf({ ...done, assurance: "shared" })?.short).toBe("Verified, shared");
  expect(assuranceOf({ ...done, assurance: "judged" })?.words).toBe("Judged by a model");
  expect(assuranceOf({ ...done, assurance: "claimed" })?.words).toBe("Claimed, not verified");
  expect(assuranceOf({ ...done, exit: "gave_up" })).toBeNull();
});

test("a card shows it, and a goal that continues proves nothing", async () => {
  await mount(<Card card={shared} selected={false} onSelect={() => undefined} />);
  expect(get("card-assurance").textContent).toBe(shared.assurance_words);
  const event = { goal_id: shared.id, run_id: "r", seq: 1, at: "" };
  const again = cardAfterEvent(shared, { ...event, type: "reopened" } as never);
  expect([again.assurance, again.assurance_words]).toEqual([undefined, undefined]);
});

test("a goal that is not done shows none", async () => {
  await mount(<Card card={{ ...done, exit: "error", status: "failed" }} selected={false} onSelect={() => undefined} />);
  expect(find("card-assurance")).toBeNull();
});

test("the receipt shows it with the reason", async () => {
  const bridge = new FakeBridge();
  await mount(<ReceiptDialog goal="01m0done0000000000000000e5" onClose={() => undefined} />, bridge);
  await until(() => expect(get("receipt-assurance").textContent).toContain("Verified"));
  expect(get("receipt-assurance-reason").textContent).toContain("ran inside");
});
