/** Shows what one pane showed. */
export interface Screen {
  /** Shows a moment soon; a newer call replaces an older one. */
  show(ms: number): void;
  /** Data is being loaded, so the clock waits. */
  readonly busy: boolean;
  /** The time of the next visible change after a moment, if it is known. */
  next(ms: number): number | null;
  close(): void;
}

/** The clock and the animation frames; tests provide their own. */
export interface FrameScheduler {
  now(): number;
  next(run: () => void): () => void;
}

export const isFrames: FrameScheduler = {
  now: () => performance.now(),
  next: (run) => {
    const id = requestAnimationFrame(run);
    return () => cancelAnimationFrame(id);
  },
};

export interface PlayerState {
  ms: number;
  playing: boolean;
  speed: number;
  /** The summary is playing. */
  summary: boolean;
  /** Periods without visible changes are shortened. */
  skips: boolean;
}

/** A longer period without changes is skipped, except for its last `left` ms. */
const longest = 1_500;
const left = 400;

/** How long a summary takes, in ms: with few moments less, because each is shown for a second at most. */
const summaryTime = 10_000;
const longestMoment = 1_000;

/** One clock for all recorded panes of a goal. */
export class Player {
  state: PlayerState = { ms: 0, playing: false, speed: 1, summary: false, skips: true };
  private readonly listeners = new Set<() => void>();
  private screen: Screen | null = null;
  private last = 0;
  private moments: readonly number[] = [];
  private played = 0; // how long the summary has played, in ms
  private stopTick: (() => void) | null = null;

  constructor(
    private readonly ticks: FrameScheduler,
    private length: number,
    /** The times at which steps begin and verdicts are given. */
    private happens: (ms: number) => number | null = () => null,
  ) {}

  readonly subscribe = (fn: () => void): (() => void) => {
    this.listeners.add(fn);
    return () => this.listeners.delete(fn);
  };

  readonly read = (): PlayerState => this.state;

  /** The recording has become longer. */
  setLength(length: number, happens: (ms: number) => number | null): void {
    this.length = length;
    this.happens = happens;
    if (this.state.ms > length) this.seek(length);
  }

  /** The visible screen; null if there is none. */
  use(screen: Screen | null): void {
    this.screen = screen;
    screen?.show(this.state.ms);
  }

  seek(ms: number): void {
    if (this.state.summary) this.pause();
    this.moveTo(ms);
  }

  by(ms: number): void {
    this.seek(this.state.ms + ms);
  }

  toggle(): void {
    if (this.state.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.state.playing) return;
    if (this.state.ms >= this.length) this.seek(0);
    this.set({ playing: true });
    this.last = this.ticks.now();
    this.tick();
  }

  /** Shows these moments one after the other, in ten seconds at most. */
  playSummary(moments: readonly number[]): void {
    this.pause();
    this.moments = moments;
    this.played = 0;
    this.set({ playing: true, summary: true });
    this.last = this.ticks.now();
    this.advanceSummary(0);
    this.tick();
  }

  pause(): void {
    this.stopTick?.();
    this.stopTick = null;
    this.set({ playing: false, summary: false });
  }

  set(part: Partial<PlayerState>): void {
    this.state = { ...this.state, ...part };
    for (const l of this.listeners) l();
  }

  close(): void {
    this.stopTick?.();
    this.listeners.clear();
  }

  private tick() {
    this.stopTick = this.ticks.next(() => {
      const now = this.ticks.now();
      const passed = now - this.last;
      this.last = now;
      if (!this.screen?.busy) {
        if (this.state.summary) this.advanceSummary(passed);
        else this.advance(passed * this.state.speed);
      }
      if (this.state.playing) this.tick();
    });
  }

  private advance(by: number) {
    const { ms, skips } = this.state;
    let to = ms + by;
    if (skips) {
      const seen = [this.screen?.next(ms), this.happens(ms)].filter((n) => n !== null && n !== undefined);
      const next = Math.min(this.length, ...seen);
      if (next - to > longest) to = next - left;
    }
    this.moveTo(to);
    if (this.state.ms >= this.length) this.pause();
  }

  private advanceSummary(by: number) {
    this.played += by;
    const each = Math.min(longestMoment, summaryTime / this.moments.length);
    const i = Math.floor(this.played / each);
    const moment = this.moments[i];
    if (moment === undefined) this.pause();
    else if (moment !== this.state.ms) this.moveTo(moment);
  }

  private moveTo(ms: number) {
    this.set({ ms: Math.max(0, Math.min(this.length, ms)) });
    this.screen?.show(this.state.ms);
  }
}
