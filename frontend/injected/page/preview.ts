// What a click, or Enter in a field, would cause. Nothing here changes the page.
import { describe } from "./describe";
import { isEditable, isFrame, isLabel } from "./dom";
import { findElement } from "./find";
import { sanitizeText } from "./text";
import { focusedElement } from "./tree";
import {
  attributeOf,
  closestOf,
  documentOf,
  hasAttribute,
  matchesSelector,
  queryIn,
  rootOf,
  tagNameOf,
} from "./native";

const CARD_FIELD = 'input[autocomplete^="cc-"], input[name="cardnumber"]';
const CARD_FRAMES = ["js.stripe.com", "paypal.com", "braintree", "adyen.com", "checkout.com"];
const CARD = [CARD_FIELD, ...CARD_FRAMES.map((address) => `iframe[src*="${address}"]`)].join(", ");
/** Fields. Focusing and filling one has no effect beyond the page. */
const FIELDS = "input:not([type=button], [type=submit], [type=image], [type=reset]), textarea, select, option";
const SUBMITTERS = "button, input[type=submit], input[type=image]";

const originOf = (doc: Document) => doc.defaultView?.origin ?? "";

function hasInFrames(doc: Document, selector: string): boolean {
  return [...queryIn(doc, "iframe")]
    .map((f) => f as HTMLIFrameElement)
    .some((f) => f.contentDocument?.querySelector(selector));
}

/** hasCardField reports whether a document or one of its frames has a field for the number of a card. */
export function hasCardField(doc: Document = document): boolean {
  return queryIn(doc, CARD_FIELD).length > 0 || hasInFrames(doc, CARD_FIELD);
}

/** hasPayment is hasCardField, and also true for the frame of a payment provider. */
export function hasPayment(): boolean {
  return queryIn(document, CARD).length > 0 || hasInFrames(document, CARD);
}

const withoutFragment = (address: string) => address.split("#")[0];

/** isPlainLink reports whether a click only opens another document: no attribute shows that a script handles it. */
function isPlainLink(link: HTMLAnchorElement): boolean {
  if (!/^https?:/.test(link.href) || closestOf(link, "[onclick], [role=button]")) return false;
  return withoutFragment(link.href) !== withoutFragment(documentOf(link).URL);
}

export interface SentField {
  name: string;
  value: string;
  hidden: boolean; // from the user
}

type FormControl = HTMLInputElement | HTMLButtonElement | HTMLSelectElement | HTMLTextAreaElement;

function isSent(f: FormControl): boolean {
  if (!f.name || f.disabled || tagNameOf(f) === "BUTTON") return false;
  if (["submit", "image", "reset", "button"].includes(f.type)) return false;
  return (f.type !== "checkbox" && f.type !== "radio") || (f as HTMLInputElement).checked;
}

const isHidden = (f: FormControl) =>
  f.type === "hidden" || !f.checkVisibility({ opacityProperty: true, visibilityProperty: true });

/**
 * listSentFields lists what a form would send, at most 500 fields. Visible fields come first: a page may hide any
 * number.
 */
export function listSentFields(form: HTMLFormElement): { fields: SentField[]; left: number } {
  const sent = ([...form.elements] as FormControl[]).filter(isSent).map((f) => ({ f, hidden: isHidden(f) }));
  sent.sort((a, b) => Number(a.hidden) - Number(b.hidden));
  const fields = sent.slice(0, 500).map(({ f, hidden }) => {
    const isSecret = f.type === "password" || /^cc-|password|one-time-code/.test(attributeOf(f, "autocomplete") ?? "");
    const value = isSecret ? (f.value ? "••••" : "") : sanitizeText(f.value, 2000);
    return { name: sanitizeText(f.name, 60), value, hidden };
  });
  return { fields, left: sent.length - fields.length };
}

export interface Preview {
  link: string;
  method: string; // of the form that is sent, "" for none
  action: string;
  fields: SentField[];
  left: number; // fields of the form that are not listed
  acts: boolean; // the click may have an effect
  payment: boolean;
  origin: string;
  element: string;
}

const NOTHING: Preview = {
  link: "",
  method: "",
  action: "",
  fields: [],
  left: 0,
  acts: false,
  payment: false,
  origin: "",
  element: "",
};

/** submitterOf gives the element that submits a form: Enter in a field clicks the form's first submit button. */
function submitterOf(form: HTMLFormElement, sender: Element, button: Element | null): Element {
  if (sender === button) return sender;
  const root = rootOf(form) as ParentNode & Node;
  const buttons = queryIn(root, SUBMITTERS) as NodeListOf<HTMLButtonElement | HTMLInputElement>;
  return [...buttons].find((b) => b.form === form && b.type !== "button" && b.type !== "reset") ?? sender;
}

function previewForm(form: HTMLFormElement, by: Element): Partial<Preview> {
  const read = (name: string) =>
    (hasAttribute(by, "form" + name) ? attributeOf(by, "form" + name) : attributeOf(form, name)) ?? "";
  const method = read("method").toUpperCase();
  return {
    method: method === "POST" || method === "DIALOG" ? method : "GET",
    action: new URL(read("action") || documentOf(form).URL, documentOf(form).baseURI).href,
    ...listSentFields(form),
  };
}

const isSender = (button: HTMLButtonElement | null) =>
  button !== null && button.type !== "button" && button.type !== "reset";

/**
 * previewClick describes the effect of a click on a target, or with enter of the key Enter. The target "" is the
 * focused element.
 */
export function previewClick(target: string, enter: boolean): Preview {
  let el = target === "" ? focusedElement() : findElement(target);
  if (!el || el === documentOf(el).body) return { ...NOTHING, origin: originOf(el?.ownerDocument ?? document) };
  // The focus is in a frame that this script cannot read.
  if (isFrame(el)) return { ...NOTHING, acts: true, element: describe(el) };
  const label = closestOf(el, "label");
  if (label?.control && isLabel(label) && !closestOf(el, "button, a[href], " + FIELDS)) el = label.control;
  const doc = documentOf(el);
  const out = { ...NOTHING, payment: matchesSelector(el, CARD), origin: originOf(doc) };
  const link = closestOf(el, "a[href], area[href]") as HTMLAnchorElement | null;
  if (link) out.link = link.href;
  const button = closestOf(el, SUBMITTERS) as HTMLButtonElement | null;
  out.element = describe(button ?? link ?? el);
  const sender = enter ? el : isSender(button) ? button : null;
  const form = sender && ((sender as HTMLInputElement).form ?? closestOf(sender, "form"));
  if (form) Object.assign(out, previewForm(form, submitterOf(form, sender, button)));
  const harmless = matchesSelector(el, FIELDS) || isEditable(el) || (link !== null && !button && isPlainLink(link));
  out.acts = sender !== null || !harmless;
  // A script may also handle the click of a link, which cannot be seen here. On a page that asks for a card the click
  // may pay; on others the risk level of the goal limits what it sends.
  if (link && hasCardField(doc)) out.payment = true;
  if (out.acts) out.payment ||= queryIn(doc, CARD).length > 0 || hasPayment();
  return out;
}
