/** After text was drawn, the page rests this many times as long as that took, because the user's keys wait for it. */
const rests = 3;
/** The time between two draws of text while the user types. */
const typingRest = 250;
/** So long after a key, the user still types. */
const typingTime = 500;

/**
 * Says when text that grows is drawn next, so that a fast model leaves the page time for the keys of the user. Times are
 * in ms.
 */
export class TextPace {
  private drawnAt = -Infinity;
  private took = 0;
  private keyAt = -Infinity;

  /** The user pressed a key. */
  key(now: number): void {
    this.keyAt = now;
  }

  /** Text was drawn. Other draws delay no text: the first words of an answer follow the question at once. */
  drew(began: number, now: number): void {
    this.drawnAt = now;
    this.took = now - began;
  }

  /** Returns how long text has to wait, 0 or less if it has not. */
  wait(now: number): number {
    const isTyping = now - this.keyAt < typingTime;
    return this.drawnAt + Math.max(rests * this.took, isTyping ? typingRest : 0) - now;
  }
}
