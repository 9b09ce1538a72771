import { Terminal } from "@xterm/xterm";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { fonts, minContrast, terminalTheme, type TerminalColors } from "@/ui/terminal";
import type { Screen } from "./player";
import type { RecordedItem, RecordLoader } from "./recordloader";

export interface ScreenEvents {
  /** Called with the record that is shown, or undefined if the moment is before the first record. */
  shown: (shot: RecordedItem | undefined) => void;
  problem: (reason: unknown) => void;
}

/** Common to both screens: the newest request wins, and records are loaded before they are drawn. */
abstract class Drawn implements Screen {
  private requested: number | null = null;
  private drawing = false;
  private fetching = false;
  private ended = false;

  constructor(
    protected readonly loader: RecordLoader,
    protected readonly on: ScreenEvents,
  ) {}

  protected abstract draw(ms: number): Promise<RecordedItem | undefined>;

  protected closed(): boolean {
    return this.ended;
  }

  get busy(): boolean {
    return this.fetching;
  }

  show(ms: number): void {
    this.requested = ms;
    if (!this.drawing) void this.work();
  }

  next(ms: number): number | null {
    return this.loader.next(ms)?.at ?? null;
  }

  close(): void {
    this.ended = true;
  }

  private async work() {
    this.drawing = true;
    while (this.requested !== null && !this.closed()) {
      const ms = this.requested;
      this.requested = null;
      try {
        this.fetching = true;
        await this.loader.seek(ms).finally(() => (this.fetching = false));
        if (this.closed()) break;
        this.on.shown(await this.draw(ms));
        this.loader.prefetch(ms);
      } catch (reason) {
        this.on.problem(reason);
      }
    }
    this.drawing = false;
  }
}

/** A read-only terminal: the bytes up to a moment, in the grid that they were written for. */
export class TerminalScreen extends Drawn {
  readonly term: Terminal;
  private last = 0;

  constructor(
    loader: RecordLoader,
    host: HTMLElement,
    look: { fontFamily: string; screenReader: boolean; colors: TerminalColors | null },
    on: ScreenEvents,
  ) {
    super(loader, on);
    this.term = new Terminal({
      allowProposedApi: true,
      disableStdin: true,
      // A program chose the address of a link: xterm.js would ask in a dialog whether to open it.
      linkHandler: { activate: () => undefined },
      cursorInactiveStyle: "outline",
      fontFamily: fonts(look.fontFamily),
      fontSize: 13,
      screenReaderMode: look.screenReader,
      scrollback: 1_000,
      theme: terminalTheme(look.colors),
      minimumContrastRatio: minContrast(look.colors),
    });
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = "11";
    this.term.open(host);
    // Nothing can be typed here; the keys belong to the player.
    this.term.textarea?.setAttribute("tabindex", "-1");
  }

  /** Draws in the colors of a scheme; null for those of the page's theme. */
  recolor(colors: TerminalColors | null): void {
    this.term.options.theme = terminalTheme(colors);
    this.term.options.minimumContrastRatio = minContrast(colors);
  }

  override close(): void {
    super.close();
    this.term.dispose();
  }

  protected async draw(ms: number): Promise<RecordedItem | undefined> {
    const shots = this.loader.shots.slice(0, this.loader.upTo(ms));
    const end = shots[shots.length - 1];
    const first = shots[0];
    // Backwards, or to a part that does not follow: replay from the beginning of the loaded part.
    if (!end || !first || end.n < this.last || first.n > this.last + 1) {
      this.term.reset();
      this.last = 0;
    }
    for (const shot of shots) {
      if (shot.n <= this.last) continue;
      if (shot.width !== this.term.cols || shot.height !== this.term.rows) {
        await this.written();
        if (this.closed()) return undefined;
        this.term.resize(shot.width, shot.height);
      }
      this.term.write(shot.data);
      this.last = shot.n;
    }
    await this.written();
    return end;
  }

  private written(): Promise<void> {
    return new Promise((done) => this.term.write("", done));
  }
}

/** A page's pictures on a canvas: the last one before a moment. */
export class PageScreen extends Drawn {
  private last = 0;

  constructor(
    loader: RecordLoader,
    private readonly canvas: HTMLCanvasElement,
    on: ScreenEvents,
  ) {
    super(loader, on);
  }

  protected async draw(ms: number): Promise<RecordedItem | undefined> {
    const shot = this.loader.shots[this.loader.upTo(ms) - 1];
    if (!shot || shot.n === this.last) return shot;
    const picture = await createImageBitmap(new Blob([shot.data], { type: "image/jpeg" }));
    if (!this.closed()) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
      this.canvas.getContext("2d", { alpha: false })?.drawImage(picture, 0, 0);
      this.canvas.dataset.drawn = String(shot.n);
      this.last = shot.n;
    }
    picture.close();
    return shot;
  }
}
