import { wails } from "./wails";

/**
 * Reads the clipboard: through Wails in the window (the web API needs a gesture
 * that a menu has already used up), through the web API elsewhere. Empty if
 * neither is allowed.
 */
export async function readClipboard(): Promise<string> {
  try {
    const read = wails().runtime?.ClipboardGetText;
    if (read) return await read();
    return await navigator.clipboard.readText();
  } catch {
    return "";
  }
}

/** Reads a picture from the clipboard, null if there is none or the page may not. */
export async function readPicture(): Promise<Blob | null> {
  try {
    const items = await navigator.clipboard.read();
    const item = items.find((i) => i.types.includes("image/png"));
    return item ? await item.getType("image/png") : null;
  } catch {
    return null;
  }
}

/** Writes the clipboard; false if the page may not. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    const write = wails().runtime?.ClipboardSetText;
    if (write) return await write(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes a picture, which may still be on its way, to the clipboard; false if it never came or the page may not. */
export async function writePicture(png: Promise<Blob>): Promise<boolean> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    return true;
  } catch {
    return false;
  }
}
