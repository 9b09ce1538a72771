// The context menu, and what the user copies.
import { choosePicture } from "./picture";
import { isElement, listen, offsetInWindow, report, truncate } from "./report";

const MAX_COPIED = 1 << 20; // characters

/** selectedText gives the selected text of the focused field or of the document, never of a password. */
export function selectedText(): string {
  const active = document.activeElement;
  if (
    active?.tagName === "TEXTAREA" ||
    (active?.tagName === "INPUT" && (active as HTMLInputElement).type !== "password")
  ) {
    const { selectionStart, selectionEnd, value } = active as HTMLInputElement;
    if (selectionStart !== selectionEnd) return value.slice(selectionStart ?? 0, selectionEnd ?? 0);
  }
  return getSelection()?.toString() ?? "";
}

const isLink = (el: Element) =>
  (el.tagName === "A" || el.tagName === "AREA") && Boolean((el as HTMLAnchorElement).href);

function isEditable(el: Element): boolean {
  if ((el as HTMLElement).isContentEditable) return true;
  return el.matches("textarea, input") && !(el as HTMLInputElement).readOnly && !el.matches(":disabled");
}

/** describeMenu describes the target of a context menu: the elements of path, innermost first. */
export function describeMenu(path: Element[]) {
  const link = path.find(isLink) as HTMLAnchorElement | undefined;
  const [el] = path;
  const image = el?.tagName === "IMG" ? (el as HTMLImageElement) : null;
  choosePicture(image);
  return {
    link: truncate(link?.href, 4000),
    image: truncate(image ? image.currentSrc || image.src : "", 4000),
    selected: truncate(selectedText(), 100000),
    editable: el !== undefined && isEditable(el),
  };
}

/** reportMenu reports that the user opened the context menu, unless the page has one of its own. */
export function reportMenu(): void {
  listen("contextmenu", (e) => {
    const { x, y, far } = offsetInWindow();
    const menu = {
      t: "menu",
      far,
      x: e.clientX + x,
      y: e.clientY + y,
      ...describeMenu(e.composedPath().filter(isElement)),
    };
    setTimeout(() => {
      if (!e.defaultPrevented) report(menu);
    });
  });
}

const reportText = (text: string) => report({ t: "copied", text: truncate(text, MAX_COPIED) });

function onCopy(e: ClipboardEvent): void {
  if (!e.isTrusted) return;
  // The page may have replaced the copied text.
  const text = e.defaultPrevented ? e.clipboardData?.getData("text/plain") : selectedText();
  if (text) reportText(text);
}

/** reportCopies reports what the user copies, also with a button of the page. */
export function reportCopies(): void {
  addEventListener("copy", onCopy);
  addEventListener("cut", onCopy);
  // permissions.ts dispatches this in the world of the page, whose scripts can do so too. Chromium knows whether the
  // user has acted on the page.
  addEventListener("goalpost-wrote", (e) => {
    const { detail } = e as CustomEvent<unknown>;
    if (isUserActive() && typeof detail === "string" && detail) reportText(detail);
  });
}

const isUserActive = () => (navigator as Partial<Navigator>).userActivation?.isActive === true;
