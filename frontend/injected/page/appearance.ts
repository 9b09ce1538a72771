// How the agent tells elements apart that have no name: by their classes, colors and places.
import { isInput } from "./dom";
import type { Point } from "./geometry";
import { attributeOf, classListOf, firstElementOf, idOf, queryIn, tagNameOf } from "./native";
import { sanitizeText } from "./text";

/** SVG elements that are listed one by one. */
export const SHAPES = "rect,circle,ellipse,polygon,polyline,path,line,text,image,use";
const WORD = /^[a-zA-Z][a-zA-Z_-]{1,23}$/;

const HUES: [number, string][] = [
  [15, "red"],
  [45, "orange"],
  [70, "yellow"],
  [165, "green"],
  [200, "cyan"],
  [260, "blue"],
  [290, "purple"],
  [345, "magenta"],
  [361, "red"],
];

/** nameColor gives the everyday name of a color of a computed style, "" for a transparent one. */
export function nameColor(css: string): string {
  const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(css);
  if (!m || m[4] === "0") return "";
  const [r = 0, g = 0, b = 0] = m.slice(1, 4).map(Number);
  const high = Math.max(r, g, b);
  const low = Math.min(r, g, b);
  const range = high - low;
  if (range < 25) return high < 50 ? "black" : low > 225 ? "white" : "gray";
  const turn = high === r ? (g - b) / range + 6 : high === g ? (b - r) / range + 2 : (r - g) / range + 4;
  const hue = (turn % 6) * 60;
  if (hue >= 10 && hue < 45 && high < 170) return "brown";
  if (low > 150 && (hue >= 330 || hue < 15)) return "pink";
  if (hue >= 290 && hue < 330 && high < 170) return "purple";
  return HUES.find(([end]) => hue < end)?.[1] ?? "";
}

function listClasses(el: Element): string {
  const words = [...classListOf(el)].filter((word) => WORD.test(word));
  return sanitizeText(words.slice(0, 3).join(" "), 48);
}

/** hintOf describes an element without a name by its classes, its icon or its id, "" if it has none of them. */
export function hintOf(el: Element): string {
  const classes = listClasses(el);
  if (classes) return `class="${classes}"`;
  const icon = firstElementOf(el);
  if (icon) {
    const use = queryIn(el, "use")[0];
    const address = use && (attributeOf(use, "href") ?? attributeOf(use, "xlink:href"));
    const name = (address?.split("#")[1] ?? "").replace(/[^\w-]/g, "") || listClasses(icon);
    if (name) return `icon="${sanitizeText(name, 48)}"`;
  }
  const id = isInput(el) ? (attributeOf(el, "name") ?? idOf(el)) : idOf(el);
  return WORD.test(id) ? `id="${id}"` : "";
}

/** placeOf formats the middle of a box as a position in the viewport. */
export function placeOf(r: DOMRect, offset: Point): string {
  return `at ${Math.round(r.x + offset.x + r.width / 2)},${Math.round(r.y + offset.y + r.height / 2)}`;
}

export const sizeOf = (r: DOMRect) => `${Math.round(r.width)}x${Math.round(r.height)}`;

function countPoints(el: Element): number {
  const numbers = attributeOf(el, "points")?.match(/-?[\d.]+/g) ?? [];
  return numbers.length / 2;
}

/** nameShape names the kind of an SVG element. */
export function nameShape(el: Element): string {
  const tag = tagNameOf(el);
  if (tag === "polygon") return { 3: "triangle", 4: "quadrangle" }[countPoints(el)] ?? "polygon";
  return tag === "rect" ? "rectangle" : tag === "text" ? "svg text" : tag;
}

/** colorOfShape names the color with which an SVG element is filled, or otherwise outlined. */
export function colorOfShape(style: CSSStyleDeclaration): string {
  const fill = style.fill === "none" || style.fillOpacity === "0" ? "" : nameColor(style.fill);
  return fill || (style.stroke === "none" ? "" : nameColor(style.stroke));
}

/** isDrawnBox reports whether an element without content is visible because of its background or border. */
export function isDrawnBox(style: CSSStyleDeclaration): boolean {
  if (nameColor(style.backgroundColor) || style.backgroundImage !== "none") return true;
  return style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth) > 0 && style.borderLeftStyle !== "none";
}
