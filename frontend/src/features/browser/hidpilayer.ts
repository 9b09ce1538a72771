import type { Frame } from "@/bridge/browser";

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the smallest rectangle that contains all differences of two equally large pictures, or null. */
export function difference(a: Uint32Array, b: Uint32Array, width: number): Region | null {
  let left = width;
  let right = -1;
  let top = -1;
  let bottom = -1;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    const x = i % width;
    bottom = (i - x) / width;
    if (top < 0) top = bottom;
    if (x < left) left = x;
    if (x > right) right = x;
  }
  return top < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** The largest share of a sharp picture that may change while the rest of it is still shown. */
const isSmallRegion = 0.3;

/**
 * On a screen with several pixels per CSS pixel, a still page is sent as a sharp picture.
 * A small change, such as a blinking caret, then replaces only its own area: the rest stays sharp.
 */
export class HiDPILayer {
  private sharp = false;
  private plain: ImageBitmap | null = null;
  private readonly pad = [document.createElement("canvas"), document.createElement("canvas")];

  /** Draws the changed area into a sharp picture. False means that the whole picture must be drawn. */
  keeps(context: CanvasRenderingContext2D, frame: Frame, picture: ImageBitmap): boolean {
    if (picture.width > frame.width) {
      this.sharp = true;
      return false;
    }
    const before = this.plain;
    if (!this.sharp || before?.width !== picture.width || before.height !== picture.height) {
      this.sharp = false;
      return false;
    }
    const [a, b] = [before, picture].map((p, i) => this.pixels(p, i));
    const part = a && b ? difference(a, b, picture.width) : undefined;
    if (part === null) return true;
    if (!part || part.width * part.height > isSmallRegion * picture.width * picture.height) {
      this.sharp = false;
      return false;
    }
    const by = context.canvas.width / picture.width;
    const { x, y, width, height } = part;
    context.drawImage(picture, x, y, width, height, x * by, y * by, width * by, height * by);
    return true;
  }

  /** Stores the picture for the next comparison, or drops it. */
  after(frame: Frame, picture: ImageBitmap): void {
    if (picture.width > frame.width || window.devicePixelRatio <= 1) {
      picture.close();
      return;
    }
    this.plain?.close();
    this.plain = picture;
  }

  forget(): void {
    this.plain?.close();
    this.plain = null;
    this.sharp = false;
  }

  private pixels(picture: ImageBitmap, i: number): Uint32Array | undefined {
    const pad = this.pad[i];
    if (!pad) return undefined;
    pad.width = picture.width;
    pad.height = picture.height;
    const context = pad.getContext("2d", { alpha: false, willReadFrequently: true });
    context?.drawImage(picture, 0, 0);
    const data = context?.getImageData(0, 0, picture.width, picture.height).data;
    return data && new Uint32Array(data.buffer);
  }
}
