// What of a page is rendered and seen.
import { shadowOf } from "./tree";

const VISIBLE = { visibilityProperty: true };

/** isRendered reports whether an element or its content has boxes. */
export const isRendered = (el: Element) => el.checkVisibility() || getComputedStyle(el).display === "contents";

/** isVisible reports whether an element has boxes that the style does not hide. */
export const isVisible = (el: Element) => el.checkVisibility(VISIBLE);

/** isLeaf reports whether an element has nothing but text inside. */
export const isLeaf = (el: Element) => el.firstElementChild === null && el.tagName !== "SLOT" && shadowOf(el) === null;
