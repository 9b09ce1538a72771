import type { RecordingPage } from "@/bridge/types";

/** One record of a pane: bytes of a terminal, or a JPEG of a page. */
export interface RecordedItem {
  n: number;
  /** Milliseconds since the goal started. */
  at: number;
  width: number;
  height: number;
  data: Uint8Array<ArrayBuffer>;
}

/** The source of one pane's records. */
export interface RecordSource {
  /** Returns the records that show the pane at a moment, and those that follow. */
  at(ms: number): Promise<RecordingPage>;
  after(n: number): Promise<RecordingPage>;
}

/** The size of the loaded part; a recording can have 256 MiB. */
const maxBuffered = 12 << 20;

/** The next page is loaded this long before the loaded part ends, in ms of the recording. */
const prefetchMs = 10_000;

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

function decoded(page: RecordingPage): RecordedItem[] {
  return (page.records ?? []).map((r) => ({
    n: r.n,
    at: r.at_ms,
    width: r.width,
    height: r.height,
    data: bytes(r.data),
  }));
}

/** The loaded part of one pane's recording around the current moment: consecutive records without a gap. */
export class RecordLoader {
  private run: RecordedItem[] = [];
  /** The loaded part covers every moment from here to its end. */
  private from = Infinity;
  private more = true;
  private fetching: Promise<void> | null = null;

  constructor(private readonly source: RecordSource) {}

  get shots(): readonly RecordedItem[] {
    return this.run;
  }

  /** Loads what is needed to show a moment. Calls run one after the other. */
  async seek(ms: number): Promise<void> {
    await this.fetching;
    const end = this.run[this.run.length - 1];
    if (end && this.more && ms >= end.at && ms - end.at < 2 * prefetchMs) await this.fetchOn(end);
    if (!this.holds(ms)) await this.begin(ms);
  }

  /** Loads the next page in advance; no caller waits for it. */
  prefetch(ms: number): void {
    const end = this.run[this.run.length - 1];
    if (!end || !this.more || this.fetching || end.at - ms > prefetchMs) return;
    // A failure here is retried, and reported, when the page is needed.
    this.fetching = this.fetchOn(end)
      .catch(() => undefined)
      .finally(() => {
        this.fetching = null;
      });
  }

  /** The first loaded record after a moment. */
  next(ms: number): RecordedItem | undefined {
    return this.run[this.upTo(ms)];
  }

  /** Number of loaded records that are not later than a moment. */
  upTo(ms: number): number {
    let low = 0;
    let high = this.run.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.run[middle]?.at ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Called when a growing recording has new records. */
  grown(): void {
    this.more = true;
  }

  private holds(ms: number): boolean {
    const end = this.run[this.run.length - 1];
    return end !== undefined && ms >= this.from && (!this.more || ms < end.at);
  }

  private async begin(ms: number) {
    const page = await this.source.at(ms);
    this.run = decoded(page);
    this.more = page.more;
    const first = this.run[0];
    this.from = first && first.n > 1 ? ms : 0;
  }

  private async fetchOn(end: RecordedItem) {
    const page = await this.source.after(end.n);
    const got = decoded(page);
    this.more = page.more;
    let size = 0;
    for (const shot of [...this.run, ...got]) size += shot.data.length;
    const kept = [...this.run];
    while (size > maxBuffered && kept.length > 1) size -= kept.shift()?.data.length ?? 0;
    // The records for an earlier moment may have been dropped now.
    if (kept.length < this.run.length) this.from = end.at;
    this.run = [...kept, ...got];
  }
}
