// The icon of the document, which headless Chromium does not load.
import { report, truncate } from "./report";

/** The width and height of the reported picture. */
const SIDE = 32;
/** No icon is loaded more often than this, in ms: some pages change theirs with every message. */
const REST = 1_000;

/** iconAddress gives the address of the document's icon: the last that it names, as browsers do, or the usual one. */
export function iconAddress(): string {
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel~=icon][href]")];
  const named = links.findLast((l) => /^(https?|data):/.test(l.href))?.href;
  if (named) return named;
  return /^https?:$/.test(location.protocol) ? new URL("/favicon.ico", location.href).href : "";
}

/** reportIcon reports the address of the icon, and each new one. The program decides whether it is loaded. */
export function reportIcon(): void {
  let reported = "";
  let resting = false;
  const check = () => {
    const now = truncate(iconAddress(), 100_000);
    if (resting || now === reported) return;
    reported = now;
    report({ t: "icon", link: now });
    resting = true;
    setTimeout(() => {
      resting = false;
      check();
    }, REST);
  };
  const begin = () => {
    check();
    const head = document.head as HTMLHeadElement | null;
    if (head)
      new MutationObserver(check).observe(head, { subtree: true, childList: true, attributeFilter: ["href", "rel"] });
  };
  // Not before the document is loaded: an icon that does not come must not delay that.
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}

/**
 * drawIcon loads an icon as the page would, and reports it as a small PNG; "" if it cannot be loaded or read. The page's
 * policy decides about its address, and another site has to allow that it is read.
 */
export function drawIcon(address: string): true {
  const image = new Image();
  image.crossOrigin = "anonymous";
  image.src = address;
  image.decode().then(
    () => report({ t: "picture", link: address, text: pngOf(image) }),
    () => report({ t: "picture", link: address, text: "" }),
  );
  return true;
}

/** pngOf draws an image into a square, as large as fits. */
function pngOf(image: HTMLImageElement): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  // A drawing without a size of its own has none in its attributes either.
  const [w, h] = [image.naturalWidth || SIDE, image.naturalHeight || SIDE];
  const scale = SIDE / Math.max(w, h);
  try {
    context?.drawImage(image, (SIDE - w * scale) / 2, (SIDE - h * scale) / 2, w * scale, h * scale);
    return canvas.toDataURL("image/png");
  } catch {
    return "";
  }
}
