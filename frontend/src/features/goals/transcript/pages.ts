import type { TranscriptEntry, TranscriptPage } from "@/bridge/types";

/** How many entries are asked for at once. */
export const pageSize = 100;

type Fetch = (offset: number) => Promise<TranscriptPage>;

/**
 * A transcript of which only the pages are here that were looked at. It is changed by its own methods alone, and calls
 * back after each change.
 */
export class TranscriptPages {
  private readonly pages = new Map<number, TranscriptEntry[]>();
  private readonly asked = new Set<number>();
  private closed = false;
  /** How many entries there are; -1 until the first page has come. */
  total = -1;

  constructor(
    private readonly fetch: Fetch,
    private readonly changed: () => void,
    private readonly failed: (reason: unknown) => void,
  ) {}

  entry(index: number): TranscriptEntry | undefined {
    return this.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Makes sure that the entries from first to last are here, or on their way. */
  need(first: number, last: number): void {
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (!this.pages.has(page)) void this.load(page);
    }
  }

  /** Asks again for what may have changed: the last page, and how many entries there are. Later pages are not here yet. */
  refresh(): void {
    void this.load(Math.max(0, Math.floor((this.total - 1) / pageSize)));
  }

  close(): void {
    this.closed = true;
  }

  private async load(page: number): Promise<void> {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    try {
      const got = await this.fetch(page * pageSize);
      if (this.closed) return;
      this.pages.set(page, got.entries ?? []);
      this.total = got.total;
      this.changed();
    } catch (reason) {
      if (!this.closed) this.failed(reason);
    } finally {
      this.asked.delete(page);
    }
  }
}
