// What the agent looks up: elements by text, role and selector.
import { placeOf, sizeOf } from "./appearance";
import { collect } from "./collect";
import { describeAs } from "./describe";
import { asControl, isSelect } from "./dom";
import { findEdited, findElement, selectAll } from "./find";
import { eachRendered, findInAll } from "./walk";
import { offsetOf } from "./geometry";
import { nameOf, textOf } from "./names";
import { refOf } from "./refs";
import { isClickable, roleOf } from "./roles";
import { statesOf } from "./states";
import { normalizeQuery, quoteText, sanitizeText } from "./text";
import { focusedElement } from "./tree";
import { isVisible } from "./visibility";
import { attributeOf, closestOf, rectOf, rootElementOf, tagNameOf } from "./native";

/** Roles that a search finds besides those of a snapshot. */
const MORE_ROLES: Partial<Record<string, string>> = {
  TR: "row",
  TD: "cell",
  TH: "columnheader",
  UL: "list",
  OL: "list",
  LI: "listitem",
  P: "paragraph",
  ARTICLE: "article",
  ASIDE: "complementary",
  HEADER: "banner",
  FOOTER: "contentinfo",
  SECTION: "region",
  FIGURE: "figure",
  FIELDSET: "group",
  LABEL: "label",
  BLOCKQUOTE: "blockquote",
  PRE: "code",
  CODE: "code",
  OPTION: "option",
  SVG: "img",
  svg: "img",
  DL: "list",
  DT: "term",
  DD: "definition",
  HR: "separator",
  OUTPUT: "status",
};

const MAX_FOUND = 50;
const MAX_OPTIONS = 400;

/** searchRoleOf gives the role of an element in a search, which has more roles than a snapshot. */
export function searchRoleOf(el: Element): string {
  return roleOf(el) || (MORE_ROLES[tagNameOf(el)] ?? "") || (isClickable(el) ? "clickable" : "");
}

/** wantedAttribute gives an attribute of an element, or its "text" or "value"; null for one that it does not have. */
function wantedAttribute(el: Element, name: string): unknown {
  if (name === "text") return textOf(el, 500);
  return name === "value" ? asControl(el).value : attributeOf(el, name);
}

/** formatElement formats the line of an element that was found. */
export function formatElement(el: Element, attributes: string[]): string {
  const role = searchRoleOf(el) || tagNameOf(el).toLowerCase();
  const name = nameOf(el, role) || textOf(el, 120);
  const offset = offsetOf(el);
  const r = rectOf(el);
  const parts = [refOf(el), role];
  if (name) parts.push(quoteText(name, 120));
  parts.push(...statesOf(el, role, focusedElement()));
  for (const attribute of attributes) {
    const value = wantedAttribute(el, attribute);
    if (value === null || value === undefined) continue;
    const isSecret = attribute === "value" && asControl(el).type === "password";
    parts.push(sanitizeText(attribute, 40) + "=" + (isSecret ? '"••••"' : quoteText(value, 500)));
  }
  parts.push(`${placeOf(r, offset)} ${sizeOf(r)}`);
  if (!isVisible(el)) parts.push("not visible");
  return parts.join(" ");
}

const optionLabel = (el: Element) => asControl(el).label ?? textOf(el);

/** formatOptions lists many options briefly: the agent chooses them by their names. */
function formatOptions(list: Element[]) {
  const lines = list.slice(0, MAX_OPTIONS).map((el) => {
    const select = closestOf(el, "select");
    const option = asControl(el);
    const selected = option.selected || attributeOf(el, "aria-selected") === "true" ? " selected" : "";
    const states = selected + (option.disabled ? " disabled" : "");
    return `${select ? refOf(select) + " has" : refOf(el)} option ${quoteText(optionLabel(el), 120)}${states}`;
  });
  return { count: list.length, lines };
}

/** searchOptions finds options, also those of a closed list, which are not rendered. */
function searchOptions(want: string) {
  const list = [...eachRendered(rootElementOf(document))].flatMap((el) => {
    if (isSelect(el)) return [...el.options];
    return roleOf(el) === "option" ? [el] : [];
  });
  return formatOptions(list.filter((o) => !want || normalizeQuery(optionLabel(o)).includes(want)));
}

/** searchPage finds what matches a text, a role and a selector, each of which may be "", at most 50. */
export function searchPage(text: string, role: string, css: string, attributes: string[]) {
  const want = normalizeQuery(text);
  const wantedRole = role.toLowerCase();
  let list: Element[];
  if (css) list = selectAll(css, quoteText(css), 2000);
  else if (wantedRole === "option") return searchOptions(want);
  else if (role) list = [...eachRendered(rootElementOf(document))];
  else {
    // Usable elements, or the smallest element with the text.
    const { items, cut } = collect();
    const named = items.filter((i) => i.name.toLowerCase().includes(want));
    const inner = named.flatMap((i) => {
      const fitting = i.segments.filter((s) => normalizeQuery(s.text).includes(want));
      return fitting.length > 0 ? fitting.map((s) => s.el) : [i.el];
    });
    list = [...new Set([...inner, ...findEdited(items, want)])];
    if (cut) list = findInAll(want, MAX_FOUND); // also behind the end of the lines
  }
  const matches = (el: Element) => {
    if (wantedRole && searchRoleOf(el) !== wantedRole) return false;
    if (!want || (!css && !role)) return true;
    return (nameOf(el, searchRoleOf(el)) + " " + textOf(el, 2000)).toLowerCase().includes(want);
  };
  const found = list.filter(matches);
  return { lines: found.slice(0, MAX_FOUND).map((el) => formatElement(el, attributes)), count: found.length };
}

/** describePoint describes the element at a point of the viewport. */
export function describePoint(x: number, y: number) {
  const el = findElement(`at=${x},${y}`);
  return { words: `${describeAs(el, searchRoleOf(el) || tagNameOf(el).toLowerCase())} at ${x},${y}` };
}
