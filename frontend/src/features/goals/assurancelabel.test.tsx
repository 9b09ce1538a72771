import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { blankView } from "@/bridge/fake/fixtures";
import { cardAfterEvent } from "@/store/goalcards";
import { find, get, mount, until } from "@/testing/mount";
import { assuranceOf } from "./assurancelabel";
import { Card } from "./card";
import { ReceiptDialog } from "./receipt";

const done = { ...blankView, status: "completed" as const, exit: "done" as const, assurance: "strong" as const };
const weakened = {
  ...done,
  assurance: "weakened" as const,
  assurance_words: "Passed, look at this",
  assurance_reason: "expected.txt, which the result is compared with, was changed",
};

test("a done goal says what it proves, also before its words are there", () => {
  expect(assuranceOf(weakened)).toEqual({
    words: weakened.assurance_words,
    reason: weakened.assurance_reason,
    tone: "warn",
  });
  expect(assuranceOf({ ...done, assurance: "judged", assurance_words: "Judged by m1" })?.tone).toBe("warn");
  expect(assuranceOf(done)?.words).toBe("Verified");
  expect(assuranceOf({ ...done, assurance: "tested", assurance_words: "Verified by its output" })).toEqual({
    words: "Verified by its output",
    reason: "",
    tone: "ok",
  });
  expect(assuranceOf({ ...done, assurance: "judged" })?.words).toBe("Judged by a model");
  expect(assuranceOf({ ...done, assurance: "claimed" })?.words).toBe("Claimed, not verified");
  expect(assuranceOf({ ...done, exit: "gave_up" })).toBeNull();
  const accepted = { ...weakened, assurance_words: undefined, assurance_basis: "user" as const };
  expect(assuranceOf(accepted as never)).toEqual({
    words: "Accepted by you",
    reason: weakened.assurance_reason,
    tone: "calm",
  });
});

test("a card shows it with its reason, and a goal that continues proves nothing", async () => {
  await mount(<Card card={weakened} selected={false} onSelect={() => undefined} />);
  expect(get("card-assurance").textContent).toBe(`${weakened.assurance_words}: ${weakened.assurance_reason}`);
  const event = { goal_id: weakened.id, run_id: "r", seq: 1, at: "" };
  const again = cardAfterEvent(weakened, { ...event, type: "reopened" } as never);
  expect([again.assurance, again.assurance_words, again.assurance_reason]).toEqual([undefined, undefined, undefined]);
});

test("a done goal whose files have changed since says so at once", () => {
  const event = { goal_id: done.id, run_id: "r", seq: 1, at: "", type: "warning", what: "changed", text: "a.txt: …" };
  expect(assuranceOf(cardAfterEvent(done, event as never))).toEqual({
    words: "Done, changed since",
    reason: "a.txt: …",
    tone: "warn",
  });
  expect(cardAfterEvent(done, { ...event, what: "network" } as never).assurance).toBe("strong");
  expect(assuranceOf(cardAfterEvent({ ...done, exit: "" }, event as never))).toBeNull();
});

test("a goal that is not done shows none", async () => {
  await mount(<Card card={{ ...done, exit: "error", status: "failed" }} selected={false} onSelect={() => undefined} />);
  expect(find("card-assurance")).toBeNull();
});

test("the receipt shows it with the reason", async () => {
  const bridge = new FakeBridge();
  await mount(<ReceiptDialog goal="01m0done0000000000000000e5" onClose={() => undefined} />, bridge);
  await until(() => expect(get("receipt-assurance").textContent).toContain("look at this"));
  expect(get("receipt-assurance-reason").textContent).toContain("lint-notes");
});
