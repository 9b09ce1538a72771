import type { TranscriptEntry, TranscriptPage } from "@/bridge/types";

/** Number of entries in a page. */
export const pageSize = 100;

type Fetch = (offset: number) => Promise<TranscriptPage>;

/**
 * A transcript of which only the viewed pages are loaded. Only its own methods change it, and each change is
 * reported.
 */
export class TranscriptPages {
  private readonly pages = new Map<number, TranscriptEntry[]>();
  private readonly asked = new Set<number>();
  private closed = false;
  /** Number of entries; -1 until the first page has loaded. */
  total = -1;

  constructor(
    private readonly fetch: Fetch,
    private readonly changed: () => void,
    private readonly failed: (reason: unknown) => void,
  ) {}

  entry(index: number): TranscriptEntry | undefined {
    return this.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Loads the entries from first to last, unless they are loaded or being loaded. */
  need(first: number, last: number): void {
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (!this.pages.has(page)) void this.load(page);
    }
  }

  /** Reloads what may have changed: the last page and the number of entries. Later pages are not loaded yet. */
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
