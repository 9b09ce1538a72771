import { nameOf, textOf } from "./names";
import { isClickable, roleOf } from "./roles";
import { quoteText } from "./text";
import { refOf } from "./refs";
import { tagNameOf } from "./native";

/** describeAs formats a role with the name of an element, or with its text if it has no name. */
export function describeAs(el: Element, role: string): string {
  const name = nameOf(el, role) || textOf(el, 60);
  return role + (name ? " " + quoteText(name, 80) : "");
}

/** describe formats an element for messages to the agent. */
export function describe(el: Element): string {
  return describeAs(el, roleOf(el) || (isClickable(el) ? "clickable" : tagNameOf(el).toLowerCase()));
}

export const describeWithRef = (el: Element) => refOf(el) + " " + describe(el);
