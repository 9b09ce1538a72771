import type { RecordingPage } from "@/bridge/types";

/** One thing that a pane showed: bytes of a terminal, or a JPEG of a page. */
export interface RecordedItem {
  n: number;
  /** Milliseconds since the goal started. */
  at: number;
  width: number;
  height: number;
  data: Uint8Array<ArrayBuffer>;
}

/** Where the records of one pane come from. */
export interface RecordSource {
  /** What shows the pane as it was at a moment, and what follows. */
  at(ms: number): Promise<RecordingPage>;
  after(n: number): Promise<RecordingPage>;
}

/** How much of a recording is held; it may be 256 MiB. */
const maxBuffered = 12 << 20;

/** How long before what is held ends the next page is fetched, ms of the recording. */
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

/** The part of one pane's recording around the moment that is shown: one run of records without a gap. */
export class RecordLoader {
  private run: RecordedItem[] = [];
  /** The run shows every moment from here on, up to its end. */
  private from = Infinity;
  private more = true;
  private fetching: Promise<void> | null = null;

  constructor(private readonly reel: RecordSource) {}

  get shots(): readonly RecordedItem[] {
    return this.run;
  }

  /** Makes sure that what is needed to show a moment is held. Calls come one after the other. */
  async seek(ms: number): Promise<void> {
    await this.fetching;
    const end = this.run[this.run.length - 1];
    if (end && this.more && ms >= end.at && ms - end.at < 2 * prefetchMs) await this.fetchOn(end);
    if (!this.holds(ms)) await this.begin(ms);
  }

  /** Fetches the next page before it is needed; nobody waits for it. */
  prefetch(ms: number): void {
    const end = this.run[this.run.length - 1];
    if (!end || !this.more || this.fetching || end.at - ms > prefetchMs) return;
    // What fails here is asked again, and said, once it is needed.
    this.fetching = this.fetchOn(end)
      .catch(() => undefined)
      .finally(() => {
        this.fetching = null;
      });
  }

  /** The first record after a moment, as far as it is held. */
  next(ms: number): RecordedItem | undefined {
    return this.run[this.upTo(ms)];
  }

  /** How many of the records held are not later than a moment. */
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

  /** A recording that is still being made has grown. */
  grown(): void {
    this.more = true;
  }

  private holds(ms: number): boolean {
    const end = this.run[this.run.length - 1];
    return end !== undefined && ms >= this.from && (!this.more || ms < end.at);
  }

  private async begin(ms: number) {
    const page = await this.reel.at(ms);
    this.run = decoded(page);
    this.more = page.more;
    const first = this.run[0];
    this.from = first && first.n > 1 ? ms : 0;
  }

  private async fetchOn(end: RecordedItem) {
    const page = await this.reel.after(end.n);
    const got = decoded(page);
    this.more = page.more;
    let size = 0;
    for (const shot of [...this.run, ...got]) size += shot.data.length;
    const kept = [...this.run];
    while (size > maxBuffered && kept.length > 1) size -= kept.shift()?.data.length ?? 0;
    // What leads to a moment before this one may be gone now.
    if (kept.length < this.run.length) this.from = end.at;
    this.run = [...kept, ...got];
  }
}
