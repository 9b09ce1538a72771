import type { IDecoration, IMarker, Terminal } from "@xterm/xterm";

const most = 500;

/** The most of a command's output that is kept, in lines and characters. */
const keptLines = 200;
const keptChars = 8_000;

interface Prompt {
  marker: IMarker;
  decoration: IDecoration | undefined;
}

/** A command that failed, as the shell reported it. */
export interface FailedCommand {
  command: string;
  exit: number;
  /** The folder in which it ran, `""` if the shell did not say. */
  dir: string;
  /** The end of what it printed. */
  output: string;
}

/**
 * The shell's prompts (OSC 133): a small mark at each command, red
 * if it failed, and navigation between them. A program can print such marks
 * too, which only adds dots.
 */
export class Prompts {
  private readonly all: Prompt[] = [];
  private isBusy = false;
  private dir = "";
  /** The command that runs, and where its output begins. */
  private running: { command: string; dir: string; begin: IMarker } | null = null;
  private newestFailed: FailedCommand | null = null;
  /** Called when `failed` changes. */
  onFailed: (failed: FailedCommand | null) => void = () => undefined;

  constructor(private readonly term: Terminal) {
    term.parser.registerOscHandler(133, (data) => {
      const [kind, ...rest] = data.split(";");
      if (kind === "A" && rest[0] !== "k=s") this.begin();
      if (kind === "A" || kind === "D") this.isBusy = false;
      if (kind === "C") this.isBusy = true;
      if (kind === "C") this.note("runs");
      if (kind === "D") this.note(rest[0] === "0" ? "done" : "failed");
      if (kind === "C") this.start(rest);
      if (kind === "D") this.end(Number(rest[0]));
      return true;
    });
    term.parser.registerOscHandler(7, (data) => {
      this.dir = decode(data.replace(/^file:\/\/[^/]*/, ""));
      return false;
    });
  }

  /** The newest command that failed, null if none did. The user sees all of it before it decides anything. */
  get failed(): FailedCommand | null {
    return this.newestFailed;
  }

  private start(rest: readonly string[]) {
    this.running?.begin.dispose();
    this.running = null;
    const line = rest.find((part) => part.startsWith("cmdline_url="))?.slice("cmdline_url=".length);
    const command = decode(line ?? "").trim();
    if (command && this.term.buffer.active.type === "normal") {
      this.running = { command, dir: this.dir, begin: this.term.registerMarker(0) };
    }
  }

  private end(exit: number) {
    const { running } = this;
    this.running = null;
    if (!running) return;
    const { command, dir, begin } = running;
    if (exit > 0) this.fail({ command, dir, exit, output: this.read(begin.line) });
    // What the user has repaired is no longer offered.
    else if (this.newestFailed?.command === command) this.fail(null);
    begin.dispose();
  }

  private fail(failed: FailedCommand | null) {
    this.newestFailed = failed;
    this.onFailed(failed);
  }

  /** The text from a line of the scrollback to the cursor; without the beginning if it is long. */
  private read(from: number): string {
    const buffer = this.term.buffer.active;
    const end = buffer.baseY + buffer.cursorY;
    let text = "";
    for (let at = Math.max(from, end - keptLines, 0); at <= end; at++) {
      const line = buffer.getLine(at);
      text += `${line?.isWrapped ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
    }
    return text.trim().slice(-keptChars);
  }

  /** The command that runs, `""` if none does or the shell does not report it. It is what a program may print, too. */
  get command(): string {
    return this.isBusy ? (this.running?.command ?? "") : "";
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // a program printed it
  }
}
