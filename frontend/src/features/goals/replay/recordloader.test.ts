import { expect, test } from "vitest";
import type { RecordingPage } from "@/bridge/types";
import { RecordLoader } from "./recordloader";

const mib = 1 << 20;

/** A recording with one record per second, in pages of `perPage` records of three times `triples` bytes each. */
function fakeSource(records: number, perPage: number, triples = 1) {
  const asked: string[] = [];
  const page = (from: number): RecordingPage => {
    const last = Math.min(records, from + perPage - 1);
    const list = [];
    for (let n = from; n <= last; n++) {
      const triple = btoa(String.fromCharCode(n % 256).repeat(3)); // encoding all of a large record takes long
      list.push({ n, at_ms: n * 1_000, width: 80, height: 24, data: triple.repeat(triples) });
    }
    return { records: list, more: last < records };
  };
  return {
    asked,
    at: (ms: number) => {
      asked.push(`at ${ms}`);
      return Promise.resolve(page(Math.max(1, Math.min(records, Math.floor(ms / 1_000)))));
    },
    after: (n: number) => {
      asked.push(`after ${n}`);
      return Promise.resolve(page(n + 1));
    },
  };
}

const shown = (loader: RecordLoader, ms: number) => loader.shots[loader.upTo(ms) - 1]?.n;

test("a moment is fetched once, and what is held is not asked for again", async () => {
  const r = fakeSource(5, 10);
  const loader = new RecordLoader(r);
  await loader.seek(3_500);
  expect(shown(loader, 3_500)).toBe(3);
  expect(loader.next(3_500)?.at).toBe(4_000);
  await loader.seek(4_200);
  await loader.seek(99_000);
  expect(shown(loader, 99_000)).toBe(5);
  expect(loader.next(99_000)).toBeUndefined();
  expect(r.asked).toEqual(["at 3500"]);
  expect(loader.shots[0]?.data).toEqual(new Uint8Array([3, 3, 3]));
});

test("playing on takes the next page; a jump begins elsewhere, and going back too", async () => {
  const r = fakeSource(1_000, 10);
  const loader = new RecordLoader(r);
  await loader.seek(1_000);
  await loader.seek(10_500);
  expect(shown(loader, 10_500)).toBe(10);
  await loader.seek(600_000);
  expect(shown(loader, 600_000)).toBe(600);
  await loader.seek(2_000);
  expect(shown(loader, 2_000)).toBe(2);
  expect(r.asked).toEqual(["at 1000", "after 10", "at 600000", "at 2000"]);
});

test("the next page is there before it is needed, and asked for once", async () => {
  const r = fakeSource(40, 20);
  const loader = new RecordLoader(r);
  await loader.seek(1_000);
  loader.prefetch(5_000);
  loader.prefetch(12_000);
  loader.prefetch(12_500);
  await loader.seek(20_500);
  expect(shown(loader, 20_500)).toBe(20);
  expect(r.asked).toEqual(["at 1000", "after 20"]);
});

test("a long recording is held in part only", async () => {
  const r = fakeSource(400, 8, mib / 8);
  const loader = new RecordLoader(r);
  await loader.seek(1_000);
  for (let second = 2; second <= 50; second++) await loader.seek(second * 1_000 + 1);
  const held = loader.shots.reduce((n, s) => n + s.data.length, 0);
  expect(held).toBeLessThanOrEqual(16 * mib);
  expect(shown(loader, 50_001)).toBe(50);
  const numbers = loader.shots.map((s) => s.n);
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  // A part that was dropped is loaded again.
  await loader.seek(5_000);
  expect(shown(loader, 5_000)).toBe(5);
});

test("what fails while it is fetched ahead is said when it is needed", async () => {
  const r = fakeSource(40, 10);
  const loader = new RecordLoader({ at: r.at, after: () => Promise.reject(new Error("gone")) });
  await loader.seek(1_000);
  loader.prefetch(9_000);
  await expect(loader.seek(10_500)).rejects.toThrow("gone");
});

test("a recording that grows is asked for what is new", async () => {
  let records = 3;
  const loader = new RecordLoader({
    at: (ms) => fakeSource(records, 10).at(ms),
    after: (n) => fakeSource(records, 10).after(n),
  });
  await loader.seek(1_000);
  records = 5;
  await loader.seek(4_500);
  expect(shown(loader, 4_500)).toBe(3);
  loader.grown();
  await loader.seek(4_500);
  expect(shown(loader, 4_500)).toBe(4);
});
