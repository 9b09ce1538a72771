import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import type { WebglAddon } from "@xterm/addon-webgl";
import type { Bridge } from "@/bridge/bridge";
import { readClipboard, readPicture, writeClipboard } from "@/bridge/clipboard";
import { isPhone } from "@/lib/viewer";
import type { TerminalStream } from "@/bridge/terminal";
import { fonts, minContrast, terminalTheme, type TerminalColors } from "@/ui/terminal";
import { linkFiles, type FileLine } from "./filelinks";
import { OutputFlow, type FrameTurns } from "./flowcontrol";
import { MouseSwitch } from "./mouseswitch";
import { pasteable } from "./paste";
import { Prompts } from "./promptmarks";

export interface ScreenHandlers {
  link: (state: "open" | "down") => void;
  exit: (code: number) => void;
  bell: () => void;
  /** The program does not read its input. */
  refused: (why: string) => void;
  /** `outside`: in the user's own browser. */
  openLink: (url: string, outside: boolean) => void;
  /** Called for Ctrl+Shift+Tab: the focus leaves the terminal. */
  leave: () => void;
  /** Returns the paths of those names that are files; dir: where they were printed, "" if the shell did not say. */
  findFiles: (dir: string, names: string[]) => Promise<readonly string[]>;
  openFile: (file: FileLine) => void;
  /** How much smaller the terminal is drawn, below 1; null: it has the size of its space. */
  scaled: (scale: { cols: number; rows: number; by: number } | null) => void;
  /** The newest selection in any terminal; the middle button pastes it. */
  selected: (text: string) => void;
  selection: () => string;
  /** Called with what the user typed or pasted, for the other terminals of a broadcast. */
  typed: (data: string) => void;
  /** Asks before lines are pasted into a program that takes them as if they were typed. */
  confirmPaste: (lines: readonly string[], paste: (text: string) => void) => void;
  /** Writes a pasted picture to a file, and returns its path as a shell reads it, `""` if it was refused. */
  pasteImage: (picture: Blob) => Promise<string>;
  /** The program runs again. */
  restarted: () => void;
}

export interface ScreenOptions {
  fontSize: number;
  scrollback: number;
  /** The user's font, `""` for the built-in one. */
  fontFamily: string;
  webgl: boolean;
  screenReader: boolean;
  cursorStyle: "block" | "bar" | "underline";
  /** Null: the colors of the page's theme. */
  colors: TerminalColors | null;
}

/**
 * How much less a pane without the focus acknowledges, so that less of its flood is in transit and the focused pane
 * comes first.
 */
const backgroundAckReserve = 960 * 1024;

/** The smallest text of a terminal that is drawn smaller than it is. */
const minFontSize = 3;

const lostNotice = new TextEncoder().encode("\r\n\x1b[2m… earlier output was discarded …\x1b[0m\r\n");

/** Mouse and focus reports, which the terminal sends and the user did not type. */
const queryReplyPattern = new RegExp(`^${String.fromCharCode(27)}\\[(?:[IO]$|<|M)`);

/** An xterm on the stream of one pane. It shows only what the program wrote, as text. */
export class TerminalScreen {
  readonly term: Terminal;
  readonly search = new SearchAddon();
  readonly prompts: Prompts;
  readonly mouse: MouseSwitch;
  private gl: WebglAddon | null = null;
  private readonly fitter = new FitAddon();
  private readonly stream: TerminalStream;
  private readonly flow: OutputFlow;
  private frame = 0;
  private host: HTMLElement | null = null;
  private written = 0;
  private asked: ScreenOptions;
  private closed = false;
  private shown = true;
  /** The size of the terminal if it is not that of this space: another viewer set it, or its agent. */
  private given: { cols: number; rows: number } | null = null;
  /** The next size is to be the terminal's. */
  private takes = false;
  /** The user asked for the size of this space on a phone. */
  private fits = false;

  constructor(
    bridge: Bridge,
    readonly pane: string,
    look: ScreenOptions,
    turns: FrameTurns,
    private readonly on: ScreenHandlers,
  ) {
    this.term = new Terminal({
      allowProposedApi: true,
      fontFamily: fonts(look.fontFamily),
      fontSize: look.fontSize,
      // The font's own line height is enough; more would break the lines of boxes.
      lineHeight: 1,
      scrollback: look.scrollback,
      cursorBlink: false,
      cursorStyle: look.cursorStyle,
      screenReaderMode: look.screenReader,
      wordSeparator: " ()[]{}'\"`,;│",
      rightClickSelectsWord: false,
      // Links that the program names (OSC 8) open like links that are found in the text.
      linkHandler: { activate: (event, url) => /^https?:/.test(url) && this.follow(event, url) },
      cursorInactiveStyle: "outline",
      macOptionIsMeta: true,
      theme: terminalTheme(look.colors),
      minimumContrastRatio: minContrast(look.colors),
    });
    this.term.loadAddon(this.fitter);
    this.term.loadAddon(this.search);
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = "11";
    this.term.loadAddon(new WebLinksAddon((event, url) => this.follow(event, url)));
    this.silenceReports();
    this.prompts = new Prompts(this.term);
    linkFiles(this.term, {
      find: (row, names) => on.findFiles(this.prompts.dirAt(row), names),
      open: on.openFile,
    });
    this.mouse = new MouseSwitch(this.term);
    this.asked = look;
    this.term.attachCustomKeyEventHandler((e) => this.key(e));
    this.term.onBell(on.bell);
    this.flow = new OutputFlow(turns, {
      write: (bytes, done) => this.term.write(bytes, done),
      written: (end) => {
        this.written = end;
        this.acknowledge();
      },
      used: () => this.used(),
    });
    this.stream = bridge.terminal(pane, {
      data: (bytes, end) => this.flow.add(bytes, end),
      lost: (_from, to) => this.flow.add(lostNotice, to),
      exit: on.exit,
      size: (cols, rows) => {
        this.given = { cols, rows };
        this.fit();
      },
      refused: on.refused,
      link: on.link,
    });
    this.term.onData((d) => {
      this.stream.input(d);
      if (!queryReplyPattern.test(d)) on.typed(d);
    });
    this.term.onBinary((d) => this.stream.inputBytes(Uint8Array.from(d, (c) => c.charCodeAt(0))));
  }

  attach(host: HTMLElement): void {
    this.host = host;
    this.term.open(host);
    this.middleClick(host);
    host.addEventListener("paste", (e) => this.pasted(e), { capture: true });
    this.term.textarea?.addEventListener("focus", () => {
      this.acknowledge();
      this.flow.hurry();
    });
    this.fit();
    void this.draw(this.asked.webgl);
  }

  /**
   * The middle button pastes the newest selection. Chromium does that with X's primary selection;
   * WebKitGTK pastes the clipboard after the click, unless
   * it is prevented.
   */
  private middleClick(host: HTMLElement) {
    this.term.onSelectionChange(() => {
      if (this.term.hasSelection()) this.on.selected(this.term.getSelection());
    });
    if (navigator.userAgent.includes("Chrome/")) return;
    let clicked = false;
    const paste = (e: Event) => {
      if (!clicked) return;
      e.preventDefault();
      e.stopPropagation();
    };
    const released = (e: MouseEvent) => {
      const text = this.on.selection();
      if (e.button !== 1 || !text || this.term.modes.mouseTrackingMode !== "none") return;
      clicked = true;
      setTimeout(() => {
        clicked = false;
        if (!this.closed) this.insert(text);
      });
    };
    host.addEventListener("paste", paste, { capture: true });
    host.addEventListener("mouseup", released, { capture: true });
  }

  /** Ctrl+click opens a link in the user's own browser. */
  private follow(event: MouseEvent, url: string) {
    if (event.button === 0) this.on.openLink(url, event.ctrlKey);
  }

  /** Pastes what the page's own paste brought, such as Shift+Insert. */
  private pasted(e: ClipboardEvent) {
    if (e.defaultPrevented) return;
    e.preventDefault();
    e.stopPropagation();
    const text = e.clipboardData?.getData("text/plain") ?? "";
    const picture = [...(e.clipboardData?.files ?? [])].find((file) => file.type.startsWith("image/"));
    if (text || !picture) this.insert(text);
    else void this.insertPicture(picture);
  }

  private async insertPicture(picture: Blob) {
    const path = await this.on.pasteImage(picture);
    if (path) this.insert(`${path} `);
  }

  /** Pastes text. A program that marks no pastes would run each line of it at once, so the user is asked first. */
  private insert(from: string) {
    const text = pasteable(from);
    const paste = (text: string) => {
      if (this.closed) return;
      this.term.paste(text);
      this.term.focus();
    };
    const lines = text.split(/\r\n|\r|\n/);
    if (lines.length > 1 && !this.term.modes.bracketedPasteMode) this.on.confirmPaste(lines, paste);
    else if (text) paste(text);
  }

  /** Types a line at the prompt, in place of what is there. The user reads it, and presses Enter. */
  offer(line: string): void {
    this.stream.input("\x15");
    this.insert(line);
  }

  /** Chooses the command that is drawn at a height of the page. */
  pointAt(y: number): void {
    const box = this.host?.querySelector(".xterm-screen")?.getBoundingClientRect();
    if (!box?.height) return;
    const row = Math.floor(((y - box.top) * this.term.rows) / box.height);
    this.prompts.choose(this.term.buffer.active.viewportY + row);
  }

  /** Sends input without passing it to the broadcast. */
  type(data: string): void {
    this.stream.input(data);
  }

  private wantsWebgl(): boolean {
    return !this.closed && this.gl === null && this.asked.webgl;
  }

  /** Draws with WebGL, or without it if it is missing or the machine takes it away. */
  private async draw(webgl: boolean): Promise<void> {
    if (!webgl) {
      this.gl?.dispose();
      this.gl = null;
      return;
    }
    if (!this.wantsWebgl()) return;
    const { WebglAddon } = await import("@xterm/addon-webgl");
    if (!this.wantsWebgl()) return; // the setting may have changed in the meantime
    try {
      const gl = new WebglAddon();
      gl.onContextLoss(() => {
        gl.dispose();
        if (this.gl === gl) this.gl = null;
      });
      this.term.loadAddon(gl);
      this.gl = gl;
    } catch {
      // The default renderer stays.
    }
  }

  private used(): boolean {
    return this.term.textarea !== undefined && this.term.textarea === document.activeElement;
  }

  private acknowledge(): void {
    this.stream.ack(this.used() ? this.written : Math.max(0, this.written - backgroundAckReserve));
  }

  /** Whether the terminal is on the screen. A hidden one keeps its size. */
  show(on: boolean): void {
    this.shown = on;
    if (on) this.fit();
  }

  /** The user turned to this window: the terminal gets the size of its space, also on a phone if `fits`. */
  keyboard(fits = false): void {
    this.fits ||= fits;
    if (this.given || fits) this.takes = true;
    else this.stream.keyboard();
    this.fit();
  }

  /** Fits the grid to its space, at most once a frame, and not while it has no space. */
  fit(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.shown || !this.host || this.host.clientWidth < 20 || this.host.clientHeight < 20) return;
      if (this.takes) this.unscale();
      const space = this.space();
      if (!space) return;
      this.stream.size(space.cols, space.rows, isPhone() && !this.fits);
      if (this.takes) this.stream.keyboard();
      this.takes = false;
      if (this.given?.cols === space.cols && this.given.rows === space.rows) this.unscale();
      if (this.given) this.scale(this.given, space);
      else if (space.cols !== this.term.cols || space.rows !== this.term.rows) this.term.resize(space.cols, space.rows);
    });
  }

  /** The cells that fit into the space with the text in its full size. */
  private space(): { cols: number; rows: number } | null {
    const size = this.fitter.proposeDimensions();
    if (!size || Number.isNaN(size.cols) || Number.isNaN(size.rows)) return null;
    const by = (this.term.options.fontSize ?? this.asked.fontSize) / this.asked.fontSize;
    return { cols: Math.max(2, Math.floor(size.cols * by)), rows: Math.max(1, Math.floor(size.rows * by)) };
  }

  /** Draws a terminal of another size, with smaller text where it does not fit. */
  private scale(given: { cols: number; rows: number }, space: { cols: number; rows: number }): void {
    const by = Math.min(1, space.cols / given.cols, space.rows / given.rows);
    this.term.options.fontSize = Math.max(minFontSize, Math.floor(this.asked.fontSize * by * 4) / 4);
    this.term.resize(given.cols, given.rows);
    this.on.scaled(by < 1 ? { ...given, by } : null);
  }

  private unscale(): void {
    this.given = null;
    this.term.options.fontSize = this.asked.fontSize;
    this.on.scaled(null);
  }

  look(look: ScreenOptions): void {
    this.asked = look;
    this.term.options.fontFamily = fonts(look.fontFamily);
    this.term.options.screenReaderMode = look.screenReader;
    this.term.options.cursorStyle = look.cursorStyle;
    if (!this.given) this.term.options.fontSize = look.fontSize;
    this.term.options.scrollback = look.scrollback;
    this.term.options.theme = terminalTheme(look.colors);
    this.term.options.minimumContrastRatio = minContrast(look.colors);
    void this.draw(look.webgl);
    this.fit();
  }

  /** Measures the cells again after the real font has loaded. */
  fontLoaded(): void {
    this.term.options.fontFamily = "monospace";
    this.term.options.fontFamily = fonts(this.asked.fontFamily);
    this.fit();
  }

  /** Shows a restarted program below the existing output. */
  restart(): void {
    this.stream.restart();
    this.on.restarted();
    this.fit();
  }

  async copy(): Promise<void> {
    const text = this.term.getSelection();
    if (text) await writeClipboard(text);
  }

  async paste(): Promise<void> {
    this.term.focus();
    const text = await readClipboard();
    const picture = text ? null : await readPicture();
    if (picture) await this.insertPicture(picture);
    else this.insert(text);
  }

  close(): void {
    this.closed = true;
    if (this.frame) cancelAnimationFrame(this.frame);
    this.stream.close();
    this.flow.close();
    this.term.dispose();
  }

  private key(e: KeyboardEvent): boolean {
    const ctrlShift = e.ctrlKey && e.shiftKey && !e.altKey;
    if (!ctrlShift) return true;
    if (e.code === "KeyC" || e.code === "KeyV") {
      e.preventDefault();
      if (e.type === "keydown") void (e.code === "KeyC" ? this.copy() : this.paste());
      return false;
    }
    if (e.code === "Tab") {
      e.preventDefault();
      if (e.type === "keydown") this.on.leave();
      return false;
    }
    return true;
  }

  /**
   * Programs query the terminal's identity and cursor position. Go's screen model
   * answers, once. This terminal must not: it would answer for every
   * viewer and on every replay of old output, into the shell's prompt.
   */
  private silenceReports() {
    const p = this.term.parser;
    const swallow = () => true;
    for (const prefix of ["", ">", "="])
      p.registerCsiHandler(prefix ? { prefix, final: "c" } : { final: "c" }, swallow);
    p.registerCsiHandler({ final: "n" }, swallow);
    p.registerCsiHandler({ prefix: "?", final: "n" }, swallow);
    p.registerCsiHandler({ prefix: ">", final: "q" }, swallow);
    p.registerCsiHandler({ intermediates: "$", final: "p" }, swallow);
    p.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, swallow);
    p.registerDcsHandler({ intermediates: "$", final: "q" }, swallow);
    for (const code of [4, 10, 11, 12]) p.registerOscHandler(code, (data) => data.includes("?"));
  }
}
