import { report } from "./report";

/** reportTitle reports the title of the document, at most five times a second. */
export function reportTitle(): void {
  let reported = "";
  let waiting = false;
  const check = () => {
    const now = document.title.slice(0, 300);
    if (now === reported || waiting) return;
    reported = now;
    report({ t: "title", text: now });
    waiting = true;
    setTimeout(() => {
      waiting = false;
      check();
    }, 200);
  };
  const begin = () => {
    check();
    const head = document.head as HTMLHeadElement | null;
    if (head) new MutationObserver(check).observe(head, { subtree: true, childList: true, characterData: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
}
