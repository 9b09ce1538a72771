import type { Bridge } from "@/bridge/bridge";
import type { BrowserStream, Frame } from "@/bridge/browser";
import type { PaneInfo, PaneInput, PaneOverlay } from "@/bridge/types";
import { isPhone } from "@/lib/viewer";
import { Coalescer } from "./input";
import { HiDPILayer } from "./hidpilayer";

export interface SurfaceHandlers {
  info: (pane: PaneInfo) => void;
  overlay: (overlay: PaneOverlay) => void;
  problem: (text: string) => void;
  link: (state: "open" | "down") => void;
  /** A picture with a new size was drawn. */
  size: (width: number, height: number) => void;
}

/** Minimum time between two pictures of a pane without the focus: ten a second. */
const idleMs = 100;

/**
 * Draws the picture of one browser pane on a canvas. The newest frame wins; acknowledged means drawn.
 * A pane without the focus acknowledges late, which slows its source down to ten frames a
 * second; a single change is still drawn immediately.
 */
export class Surface {
  page = { width: 1024, height: 768 };
  private readonly stream: BrowserStream;
  private readonly coalescer: Coalescer;
  private waiting: Frame | null = null;
  private drawing = false;
  /** Counts the pages that have ended, to recognize a picture of a previous page that is still being decoded. */
  private gone = 0;
  private closed = false;
  private focused = true;
  private drawnAt = -idleMs;
  private endRest: (() => void) | null = null;
  private readonly detail = new HiDPILayer();
  private space = { width: 0, height: 0 };
  /** The user asked for the size of this space. */
  private fits = false;

  constructor(
    bridge: Bridge,
    pane: string,
    private readonly canvas: HTMLCanvasElement,
    private readonly on: SurfaceHandlers,
  ) {
    this.stream = bridge.browser(pane, {
      frame: (frame) => this.frame(frame),
      info: on.info,
      overlay: on.overlay,
      problem: on.problem,
      link: on.link,
    });
    this.coalescer = new Coalescer((input) => this.stream.input(input));
  }

  input(input: PaneInput): void {
    this.coalescer.push(input);
  }

  size(width: number, height: number): void {
    if (width < 50 || height < 50) return;
    this.space = { width: Math.round(width), height: Math.round(height) };
    const looks = isPhone() && !this.fits;
    this.stream.size(this.space.width, this.space.height, window.devicePixelRatio || 1, looks);
  }

  /** The user turned to this window: the page gets the size of its space. */
  keyboard(): void {
    this.stream.keyboard();
  }

  /** Gives the page the size of this space, also on a phone. */
  fit(): void {
    this.fits = true;
    this.size(this.space.width, this.space.height);
    this.keyboard();
  }

  visible(on: boolean): void {
    this.stream.visible(on);
  }

  /** Whether the pane has the focus, and with it the full frame rate. */
  focus(on: boolean): void {
    this.focused = on;
    if (on) this.endRest?.();
  }

  close(): void {
    this.closed = true;
    this.detail.forget();
    this.endRest?.();
    this.coalescer.close();
    this.stream.close();
  }

  private frame(frame: Frame) {
    this.waiting = frame;
    if (!this.drawing) void this.draw();
  }

  private async draw() {
    this.drawing = true;
    for (let frame = this.take(); frame; frame = this.take()) {
      const { gone } = this;
      try {
        const picture = await createImageBitmap(new Blob([frame.jpeg], { type: "image/jpeg" }));
        if (this.closed || gone !== this.gone) picture.close();
        else this.show(frame, picture);
      } catch {
        // A broken picture is skipped but acknowledged, because otherwise no other picture would follow.
      }
      await this.rest();
      if (!this.closed) this.stream.ack(frame.n);
    }
    this.drawing = false;
  }

  /** Without the focus, waits until the next picture is due. */
  private async rest() {
    const last = this.drawnAt;
    this.drawnAt = performance.now();
    const left = last + idleMs - this.drawnAt;
    if (this.focused || this.closed || left <= 0) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, left);
      this.endRest = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.endRest = null;
    this.drawnAt = performance.now();
  }

  /** Removes the picture, because the page has ended. */
  forget() {
    this.gone++;
    this.waiting = null;
    this.detail.forget();
    this.canvas.getContext("2d", { alpha: false })?.clearRect(0, 0, this.canvas.width, this.canvas.height);
    delete this.canvas.dataset.drawn;
  }

  private take(): Frame | null {
    const frame = this.waiting;
    this.waiting = null;
    return this.closed ? null : frame;
  }

  private show(frame: Frame, picture: ImageBitmap) {
    this.paint(frame, picture);
    this.detail.after(frame, picture);
  }

  private paint(frame: Frame, picture: ImageBitmap) {
    const context = this.canvas.getContext("2d", { alpha: false });
    if (context && this.detail.keeps(context, frame, picture)) {
      this.canvas.dataset.frame = String(frame.n);
      return;
    }
    if (this.canvas.width !== picture.width || this.canvas.height !== picture.height) {
      this.canvas.width = picture.width;
      this.canvas.height = picture.height;
    }
    context?.drawImage(picture, 0, 0);
    if (frame.width !== this.page.width || frame.height !== this.page.height || !this.canvas.dataset.drawn) {
      this.page = { width: frame.width, height: frame.height };
      this.canvas.dataset.drawn = "true";
      this.on.size(frame.width, frame.height);
    }
    this.canvas.dataset.frame = String(frame.n);
  }
}
