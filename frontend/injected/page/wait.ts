// Waits for a text or an element to come, or for a text to go.
import { isFrame } from "./dom";
import { TargetError } from "./errors";
import { findElement } from "./find";
import { normalizeQuery } from "./text";
import { innerDocument, shadowOf } from "./tree";
import { isVisible } from "./visibility";
import { queryIn } from "./native";

const innerTextOf = (el: Element) => (el as Partial<HTMLElement>).innerText ?? "";

/** pageText gives the visible text of the page with its frames and shadow roots. */
function pageText(): string {
  const texts: string[] = [];
  const addInside = (root: ParentNode) => {
    for (const el of queryIn(root, "*")) {
      const shadow = shadowOf(el);
      if (shadow) {
        for (const c of shadow.children) texts.push(innerTextOf(c));
        addInside(shadow);
      } else if (isFrame(el)) {
        const doc = innerDocument(el);
        if (doc) addDocument(doc);
      }
    }
  };
  const addDocument = (doc: Document) => {
    const body = doc.body as HTMLElement | null;
    if (body) texts.push(innerTextOf(body));
    addInside(doc);
  };
  addDocument(document);
  return texts.join(" ");
}

function isThere(target: string): boolean {
  try {
    return isVisible(findElement(target));
  } catch (e) {
    if (e instanceof TargetError && e.code === "many") return true;
    if (e instanceof TargetError && e.code !== "bad") return false;
    throw e;
  }
}

/** matchesText reports whether a page's text contains text and not gone; "" is no condition. */
export function matchesText(page: string, text: string, gone: string): boolean {
  const content = page.replace(/\s+/g, " ").toLowerCase();
  return (!text || content.includes(normalizeQuery(text))) && (!gone || !content.includes(normalizeQuery(gone)));
}

function isFulfilled(text: string, gone: string, target: string): boolean {
  if ((text || gone) && !matchesText(pageText(), text, gone)) return false;
  return !target || isThere(target);
}

/** waitUntil waits at most timeout milliseconds, and reports whether the conditions hold. Empty ones always hold. */
export function waitUntil(text: string, gone: string, target: string, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const fulfilled = isFulfilled(text, gone, target);
    if (fulfilled || !timeout) {
      resolve(fulfilled);
      return;
    }
    let due = false;
    const end = (result: boolean) => {
      observer.disconnect();
      clearInterval(interval);
      clearTimeout(limit);
      resolve(result);
    };
    const check = () => {
      due = false;
      try {
        if (isFulfilled(text, gone, target)) end(true);
      } catch {
        end(false);
      }
    };
    const observer = new MutationObserver(() => {
      if (!due) setTimeout(check, 50);
      due = true;
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const interval = setInterval(check, 500); // styles change without a mutation
    const limit = setTimeout(() => end(false), timeout);
  });
}
