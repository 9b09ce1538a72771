import { wails } from "./wails";

/** Opens an address in the user's own browser. In the window of Wails, window.open does nothing. */
export function openOutside(url: string): void {
  const open = wails().runtime?.BrowserOpenURL;
  if (open) open(url);
  else window.open(url, "_blank", "noreferrer");
}
