// The picture on which the user opened the context menu, as a PNG for the user's clipboard.

/** The largest picture that is copied, in pixels. */
const MAX_PIXELS = 50_000_000;

/** A picture as a PNG in base64, or why there is none. */
export interface Copied {
  png?: string;
  /** Where the picture comes from, if only the program may read it. */
  address?: string;
  problem?: "gone" | "large";
}

let chosen: WeakRef<HTMLImageElement> | undefined;

export function choosePicture(image: HTMLImageElement | null): void {
  chosen = image ? new WeakRef(image) : undefined;
}

function drawn(image: CanvasImageSource, width: number, height: number): Copied {
  if (width * height > MAX_PIXELS) return { problem: "large" };
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  const png = canvas.toDataURL("image/png").split(",")[1];
  return png ? { png } : { problem: "large" };
}

function drawnImage(image: HTMLImageElement): Copied {
  // A drawing may have no size of its own.
  return drawn(image, image.naturalWidth || image.width, image.naturalHeight || image.height);
}

/** copyPicture draws the picture. One of another site can be drawn, but not read. */
export function copyPicture(): Copied {
  const image = chosen?.deref();
  if (!image?.isConnected || !image.complete || !(image.naturalWidth || image.width)) return { problem: "gone" };
  try {
    return drawnImage(image);
  } catch {
    return { address: image.currentSrc || image.src };
  }
}

/** decodePicture draws a picture whose bytes the program read. Only an image element draws SVG. */
export async function decodePicture(data: string): Promise<Copied> {
  try {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    return drawn(image, image.width, image.height);
  } catch {
    const image = new Image();
    image.src = `data:image/svg+xml;base64,${data}`;
    await image.decode();
    return drawnImage(image);
  }
}
