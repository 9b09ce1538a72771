import { wails } from "./wails";

/** Opens an address in the user's own browser: a window of Wails opens no other by itself. */
export function openOutside(url: string): void {
  const open = wails().runtime?.BrowserOpenURL;
  if (open) open(url);
  else window.open(url, "_blank", "noreferrer");
}
