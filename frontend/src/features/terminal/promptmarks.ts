import type { IDecoration, IMarker, Terminal } from "@xterm/xterm";

const most = 500;

/** The most of a command's output that is kept, in lines and characters. */
const keptLines = 200;
const keptChars = 8_000;

interface Prompt {
  marker: IMarker;
  decoration: IDecoration | undefined;
  /** The class of the decoration. */
  look: string;
  run: Run | null;
}

/** The command of a prompt, and where its output is. */
interface Run {
  command: string;
  /** The folder in which it ran, `""` if the shell did not say. */
  dir: string;
  begin: IMarker;
  /** Null while it runs. */
  end: { marker: IMarker; column: number; exit: number } | null;
}

/** A command with its output, as the shell reported it. A program can print such reports, too. */
export interface Block {
  command: string;
  /** Null while it runs. */
  exit: number | null;
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
  /** The prompt whose command the user pointed at or jumped to. */
  private chosen: Prompt | null = null;
  /** The newest command. It is kept if its prompt has left the scrollback. */
  private newest: Run | null = null;
  private newestFailed: FailedCommand | null = null;
  /** Called when `failed` changes. */
  onFailed: (failed: FailedCommand | null) => void = () => undefined;
  /** Called when `block` changes. */
  onBlock: (block: Block | null) => void = () => undefined;

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
    const prompt = this.all[this.all.length - 1];
    const line = rest.find((part) => part.startsWith("cmdline_url="))?.slice("cmdline_url=".length);
    const command = decode(line ?? "").trim();
    if (!command || this.term.buffer.active.type !== "normal") return;
    this.newest = { command, dir: this.dir, begin: this.term.registerMarker(0), end: null };
    if (prompt) prompt.run = this.newest;
    this.choose(null);
  }

  private end(exit: number) {
    const run = this.running;
    if (!run) return;
    this.close(run, exit);
    const { command, dir } = run;
    if (exit > 0) this.fail({ command, dir, exit, output: this.read(run, keptLines).slice(-keptChars) });
    // What the user has repaired is no longer offered.
    else if (this.newestFailed?.command === command) this.fail(null);
    this.onBlock(this.block);
  }

  private close(run: Run, exit: number) {
    run.end = { marker: this.term.registerMarker(0), column: this.term.buffer.active.cursorX, exit };
  }

  private get running(): Run | null {
    return this.newest?.end ? null : this.newest;
  }

  /** The command that the user pointed at or jumped to, otherwise the newest one; null if the shell reported none. */
  get block(): Block | null {
    const run = this.shown;
    return run && { command: run.command, exit: run.end?.exit ?? null };
  }

  private get shown(): Run | null {
    return this.chosen?.run ?? this.newest;
  }

  /** Chooses the command whose prompt or output is at a line of the scrollback, or the newest one for null. */
  choose(line: number | null): void {
    this.chosen =
      line === null ? null : (this.all.findLast((p) => p.marker.line >= 0 && p.marker.line <= line) ?? null);
    this.onBlock(this.block);
  }

  /** The folder in which a line was printed, `""` if the shell did not say. */
  dirAt(line: number): string {
    return this.all.findLast((p) => p.marker.line >= 0 && p.marker.line <= line)?.run?.dir ?? this.dir;
  }

  /** The output of the block. */
  output(): string {
    return this.shown ? this.read(this.shown) : "";
  }

  /** Selects the output of the block, as the user does with the mouse. */
  selectOutput(): void {
    const run = this.shown;
    if (!run) return;
    const [end, column] = this.endOf(run);
    const line = Math.max(run.begin.line, 0);
    const length = (end - line) * this.term.cols + column;
    if (length > 0) this.term.select(0, line, length);
  }

  private fail(failed: FailedCommand | null) {
    this.newestFailed = failed;
    this.onFailed(failed);
  }

  /** The line and the column before which the output of a command ends: at the cursor while it runs. */
  private endOf({ end }: Run): [line: number, column: number] {
    if (end && end.marker.line >= 0) return [end.marker.line, end.column];
    const buffer = this.term.buffer.normal;
    return [buffer.baseY + buffer.cursorY, buffer.cursorX];
  }

  /** What a command printed, of a long one the last lines. */
  private read(run: Run, most = Number.POSITIVE_INFINITY): string {
    const buffer = this.term.buffer.normal;
    const [end, column] = this.endOf(run);
    const lines: string[] = [];
    for (let at = Math.max(run.begin.line, end - most, 0); at <= end; at++) {
      const line = buffer.getLine(at);
      lines.push(line?.isWrapped ? "" : "\n", line?.translateToString(true, 0, at === end ? column : undefined) ?? "");
    }
    return lines.join("").trim();
  }

  /** The command that runs, `""` if none does or the shell does not report it. It is what a program may print, too. */
  get command(): string {
    return this.isBusy ? (this.running?.command ?? "") : "";
  }

  /** Whether a command is running. Also false if the shell does not report its commands. */
  get hasCommand(): boolean {
    return this.isBusy;
  }

  /** Scrolls to the command before (-1) or after (1) the one that was jumped to, otherwise those around the top line. */
  go(step: -1 | 1): void {
    const buffer = this.term.buffer.active;
    const top = buffer.viewportY;
    const last = this.all[this.all.length - 1]?.marker.line ?? top;
    const at = this.chosen?.marker.line ?? -1;
    const isShown = at >= top && at < top + this.term.rows;
    const from = isShown ? at : top < buffer.baseY ? top : last;
    const lines = this.all.map((p) => p.marker.line).filter((line) => line >= 0);
    const next = step < 0 ? lines.findLast((line) => line < from) : lines.find((line) => line > from);
    if (next !== undefined) this.term.scrollToLine(next);
    else if (step > 0) this.term.scrollToBottom();
    if (next !== undefined || step > 0) this.choose(next ?? null);
  }

  private begin() {
    if (this.term.buffer.active.type !== "normal") return;
    if (this.running) this.close(this.running, -1); // it ended with its shell
    const last = this.all[this.all.length - 1];
    const marker = this.term.registerMarker(0);
    if (last && last.marker.line === marker.line) {
      marker.dispose(); // the same prompt, drawn again
      return;
    }
    const prompt: Prompt = { marker, decoration: undefined, look: "", run: null };
    this.all.push(prompt);
    marker.onDispose(() => {
      const i = this.all.indexOf(prompt);
      if (i >= 0) this.all.splice(i, 1);
      if (this.chosen === prompt) this.choose(null);
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
    prompt.look = `prompt-${state}`;
    this.draw(prompt);
    prompt.decoration?.onRender(() => this.draw(prompt));
  }

  private draw(prompt: Prompt | null) {
    const el = prompt?.decoration?.element;
    if (!el) return;
    const chosen = prompt === this.chosen ? " prompt-chosen" : "";
    el.className = `${el.className.replace(/ ?prompt-\w+/g, "")} ${prompt.look}${chosen}`;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // a program printed it
  }
}
