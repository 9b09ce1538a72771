import type { Terminal } from "@xterm/xterm";

/** The modes in which a program gets the mouse: clicks, drags, or all movements (DECSET). */
const mouseModes = [9, 1000, 1002, 1003];

/** A mode that does not exist. With it, a sequence is one of this class and not the program's. */
const ownMark = 990_133;

/** Keeps the mouse from a terminal's program, so that it selects, scrolls and opens the menu as without the program. */
export class MouseSwitch {
  /** What the program has asked for. */
  private readonly wanted = new Set<number>();
  private isOff = false;

  constructor(private readonly term: Terminal) {
    term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => this.note(params, true));
    term.parser.registerCsiHandler({ prefix: "?", final: "l" }, (params) => this.note(params, false));
    term.parser.registerEscHandler({ final: "c" }, () => {
      this.wanted.clear();
      return false;
    });
  }

  get off(): boolean {
    return this.isOff;
  }

  set off(off: boolean) {
    this.isOff = off;
    this.apply(off ? "l" : "h");
  }

  /** Lets xterm apply the modes, too. */
  private note(params: readonly (number | number[])[], on: boolean): boolean {
    if (params.includes(ownMark)) return false;
    const modes = mouseModes.filter((mode) => params.includes(mode));
    for (const mode of modes) {
      if (on) this.wanted.add(mode);
      else this.wanted.delete(mode);
    }
    if (on && modes.length > 0 && this.isOff) this.apply("l");
    return false;
  }

  private apply(final: "h" | "l") {
    if (this.wanted.size > 0) this.term.write(`\x1b[?${[...this.wanted, ownMark].join(";")}${final}`);
  }
}
