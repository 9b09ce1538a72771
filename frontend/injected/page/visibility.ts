// Whether elements are rendered and visible.
import { shadowOf } from "./tree";
import { checkVisibility, firstElementOf, tagNameOf } from "./native";

const VISIBLE = { visibilityProperty: true };

/** isRendered reports whether an element or its content has boxes. */
export const isRendered = (el: Element) => checkVisibility(el) || getComputedStyle(el).display === "contents";

/** isVisible reports whether an element has boxes that the style does not hide. */
export const isVisible = (el: Element) => checkVisibility(el, VISIBLE);

/** isLeaf reports whether an element has nothing but text inside. */
export const isLeaf = (el: Element) => firstElementOf(el) === null && tagNameOf(el) !== "SLOT" && shadowOf(el) === null;
