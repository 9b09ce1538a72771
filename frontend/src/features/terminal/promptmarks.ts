import type { IDecoration, IMarker, Terminal } from "@xterm/xterm";

const most = 500;

interface Prompt {
  marker: IMarker;
  decoration: IDecoration | undefined;
}

/**
 * The shell's prompts (OSC 133): a small mark at each command, red
 * if it failed, and navigation between them. A program can print such marks
 * too, which only adds dots.
 */
export class Prompts {
  private readonly all: Prompt[] = [];
  private isBusy = false;

  constructor(private readonly term: Terminal) {
    term.parser.registerOscHandler(133, (data) => {
      const [kind, ...rest] = data.split(";");
      if (kind === "A" && rest[0] !== "k=s") this.begin();
      if (kind === "A" || kind === "D") this.isBusy = false;
      if (kind === "C") this.isBusy = true;
      if (kind === "C") this.note("runs");
      if (kind === "D") this.note(rest[0] === "0" ? "done" : "failed");
      return true;
    });
  }

  /** Whether a command is running. Also false if the shell does not report its commands. */
  get hasCommand(): boolean {
    return this.isBusy;
  }

  /** Scrolls to the prompt above (-1) or below (1) the top line. */
  go(step: -1 | 1): void {
    const top = this.term.buffer.active.viewportY;
    const lines = this.all.map((p) => p.marker.line).filter((line) => line >= 0);
    const next = step < 0 ? lines.filter((line) => line < top).pop() : lines.find((line) => line > top);
    if (next === undefined) {
      if (step > 0) this.term.scrollToBottom();
      return;
    }
    this.term.scrollToLine(next);
  }

  private begin() {
    if (this.term.buffer.active.type !== "normal") return;
    const last = this.all[this.all.length - 1];
    const marker = this.term.registerMarker(0);
    if (last && last.marker.line === marker.line) {
      marker.dispose(); // the same prompt, drawn again
      return;
    }
    this.all.push({ marker, decoration: undefined });
    marker.onDispose(() => {
      const i = this.all.findIndex((p) => p.marker === marker);
      if (i >= 0) this.all.splice(i, 1);
    });
    if (this.all.length > most) this.all[0]?.marker.dispose();
  }

  /** The result of the newest command. */
  private note(state: "runs" | "done" | "failed") {
    const prompt = this.all[this.all.length - 1];
    if (!prompt || (state !== "runs" && !prompt.decoration)) return; // Enter on an empty line
    if (!prompt.decoration) {
      prompt.decoration = this.term.registerDecoration({ marker: prompt.marker, x: 0, width: 1, layer: "bottom" });
    }
    const decoration = prompt.decoration;
    if (!decoration) return;
    const draw = (el: HTMLElement) => {
      el.className = `${el.className.replace(/ ?prompt-\w+/g, "")} prompt-${state}`;
    };
    if (decoration.element) draw(decoration.element);
    decoration.onRender(draw);
  }
}
