/** Output up to this size is written immediately: a redrawn screen, but not a flood. */
const smallBatch = 32 * 1024;
/** The size of one write to xterm: about as long as drawing two full panes. */
const maxBatch = 512 * 1024;
/** Delay between two writes of a flood. Drawing costs more than the bytes, and nobody reads 60 frames a second. */
const frameMs = 50;

interface FlowHandlers {
  /** Passes bytes to xterm and calls `done` once they are on its screen. */
  write: (bytes: Uint8Array, done: () => void) => void;
  /** Reports that everything before the offset is written. */
  written: (end: number) => void;
  /** Reports whether the pane has the keyboard focus: then it need not wait for its turn. */
  used: () => boolean;
}

/**
 * Decides when the bytes of one terminal are written. Small output is written immediately; a
 * flood in large pieces, because xterm draws after each of them and drawing takes
 * longer than the bytes. Panes without the focus take turns.
 */
export class OutputFlow {
  private parts: Uint8Array[] = [];
  private waiting = 0;
  private end = 0;
  private began = Number.NEGATIVE_INFINITY;
  /** Bytes written since `began`. */
  private lately = 0;
  private writing = false;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly turns: FrameTurns,
    private readonly on: FlowHandlers,
  ) {}

  /** Accepts bytes in order; `end` is the offset after them. */
  add(bytes: Uint8Array, end: number): void {
    this.parts.push(bytes);
    this.waiting += bytes.length;
    this.end = end;
    this.next();
  }

  /** Writes the waiting bytes now, because the pane got the focus. */
  hurry(): void {
    this.next();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.cancel?.();
  }

  private next(): void {
    if (this.closed || this.writing || this.waiting === 0) return;
    const late = performance.now() - this.began;
    const few = (late < frameMs ? this.lately : 0) + this.waiting <= smallBatch;
    if (few || late >= frameMs || this.waiting >= maxBatch) this.start(few);
    else this.timer ??= setTimeout(() => this.again(), frameMs - late);
  }

  private again() {
    this.timer = undefined;
    this.next();
  }

  private start(few: boolean): void {
    if (few || this.on.used()) {
      this.cancel?.();
      this.cancel = null;
      this.write(() => undefined);
    } else {
      this.cancel ??= this.turns.ask((done) => {
        this.cancel = null;
        if (this.closed || this.writing || this.waiting === 0) done();
        else this.write(done);
      });
    }
  }

  private write(done: () => void): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const now = performance.now();
    if (now - this.began >= frameMs) {
      this.began = now;
      this.lately = 0;
    }
    this.lately += this.waiting;
    const bytes = joined(this.parts, this.waiting);
    const end = this.end;
    this.parts = [];
    this.waiting = 0;
    this.writing = true;
    this.on.write(bytes, () => {
      this.writing = false;
      done();
      if (this.closed) return;
      this.on.written(end);
      this.next();
    });
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

type Turn = (done: () => void) => void;

/** Replaces a frame while the window is hidden and draws none. */
const noPictureMs = 100;

/**
 * The floods of panes without the focus. One writes at a time; after each write the
 * page has as much time for other work as the write and its drawing took.
 */
export class FrameTurns {
  private readonly queue: Turn[] = [];
  private busy = false;

  /** Calls `turn` on its turn; `turn` reports when it is done. The returned function cancels the request. */
  ask(turn: Turn): () => void {
    this.queue.push(turn);
    this.next();
    return () => {
      const i = this.queue.indexOf(turn);
      if (i >= 0) this.queue.splice(i, 1);
    };
  }

  private next() {
    if (this.busy) return;
    const turn = this.queue.shift();
    if (!turn) return;
    this.busy = true;
    const began = performance.now();
    turn(() =>
      afterPicture(() => {
        setTimeout(() => {
          this.busy = false;
          this.next();
        }, performance.now() - began);
      }),
    );
  }
}

function afterPicture(then: () => void): void {
  let called = false;
  const once = () => {
    if (called) return;
    called = true;
    clearTimeout(timer);
    then();
  };
  const timer = setTimeout(once, noPictureMs);
  requestAnimationFrame(() => setTimeout(once));
}
