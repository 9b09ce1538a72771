const pauseMs = 1_000;

/** Calls a function when the user pauses: types nothing for a while, or hides or leaves the page. */
export class Pause {
  private timer: number | undefined;

  constructor(private readonly onPause: () => void) {
    document.addEventListener("visibilitychange", this.end);
    window.addEventListener("pagehide", this.end);
  }

  /** The user did something. */
  begin(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(this.end, pauseMs);
  }

  /** The pause is now, if the user did something since the last one. */
  readonly end = (): void => {
    if (this.timer === undefined) return;
    this.cancel();
    this.onPause();
  };

  /** What the user did does not count. */
  cancel(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }

  close(): void {
    this.end();
    document.removeEventListener("visibilitychange", this.end);
    window.removeEventListener("pagehide", this.end);
  }
}
