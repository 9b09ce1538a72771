import { act } from "@/testing/act";
import { beforeEach, expect, test, vi } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import type { TranscriptPage } from "@/bridge/types";
import { find, get, mount, until } from "@/testing/mount";
import Transcript from "./transcript";
import { TranscriptPages, pageSize } from "./pages";
import { entryText } from "./entrytext";

const entry = (i: number) => ({ seq: i + 1, at_ms: i, kind: "note" as const, title: `n${i}`, text: "", turn: 0 });

function pagesOf(total: () => number) {
  const asked: number[] = [];
  const fetch = (offset: number): Promise<TranscriptPage> => {
    asked.push(offset);
    const n = Math.min(pageSize, total() - offset);
    return Promise.resolve({ entries: Array.from({ length: n }, (_, i) => entry(offset + i)), total: total() });
  };
  const changed = vi.fn();
  return { asked, changed, pages: new TranscriptPages(fetch, changed, (reason) => expect.fail(String(reason))) };
}

test("only the pages that are looked at are read, each of them once", async () => {
  const { asked, pages, changed } = pagesOf(() => 10_000);
  pages.refresh();
  await vi.waitFor(() => expect(pages.total).toBe(10_000));
  pages.need(9_990, 9_999);
  pages.need(9_990, 9_999);
  await vi.waitFor(() => expect(pages.entry(9_999)?.title).toBe("n9999"));
  pages.need(0, 20);
  expect(asked).toEqual([0, 9_900]);
  expect(pages.entry(500)).toBeUndefined();
  expect(changed).toHaveBeenCalledTimes(2);
});

test("a refresh reads the last page again, which was not full", async () => {
  let total = 90;
  const { pages } = pagesOf(() => total);
  pages.refresh();
  await vi.waitFor(() => expect(pages.total).toBe(90));
  total = 230;
  pages.refresh();
  await vi.waitFor(() => expect(pages.total).toBe(230));
  expect(pages.entry(229)).toBeUndefined();
  pages.need(220, 229);
  await vi.waitFor(() => expect(pages.entry(229)?.title).toBe("n229"));
  expect(pages.entry(95)?.title).toBe("n95");
});

let bridge: FakeBridge;

beforeEach(async () => {
  bridge = new FakeBridge({ finish: true });
  await mount(<Transcript goal={livelyId} before={null} onStep={() => undefined} />, bridge, (a) => a.start());
});

test("a search asks for what matches, and says when nothing does", async () => {
  await until(() => expect(Number(get("transcript").dataset.total)).toBeGreaterThan(10));
  const field = get("transcript-search") as HTMLInputElement;
  const write = (text: string) =>
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  write("the quantity is not multiplied");
  await until(() => expect(find("transcript-total")?.textContent).toBe("1 match"));
  write("nobody said this");
  await until(() => expect(find("transcript-total")?.textContent).toContain("Nothing contains"));
});

test("an entry is copied as text with its cost and its raw call", () => {
  expect(
    entryText({
      seq: 9,
      at_ms: 61_000,
      kind: "step",
      title: "",
      text: 'exit 1\n<output from="the command">\nFAIL\n</output>',
      turn: 3,
      step: 4,
      tool: "run_command",
      arguments: '{"command":"make"}',
      outcome: "failed",
      ms: 2_100,
    }),
  ).toBe('[1 m 01 s] Step 4: Ran make · Failed · 2.1 s\n    run_command {"command":"make"}\n    exit 1\n    FAIL\n');
  expect(entryText({ ...entry(0), kind: "agent", title: "Agent", text: "Hi.", tokens_in: 900, usd: 0.02 })).toBe(
    "[0 s] Agent (900 tokens · $0.02)\n    Hi.\n",
  );
});
