// What a click, or Enter in a field, would cause. Nothing here changes the page.
import { describe } from "./describe";
import { isEditable, isFrame, isLabel } from "./dom";
import { findElement } from "./find";
import { sanitizeText } from "./text";
import { focusedElement } from "./tree";

const CARD_FIELD = 'input[autocomplete^="cc-"], input[name="cardnumber"]';
const CARD_FRAMES = ["js.stripe.com", "paypal.com", "braintree", "adyen.com", "checkout.com"];
const CARD = [CARD_FIELD, ...CARD_FRAMES.map((address) => `iframe[src*="${address}"]`)].join(", ");
/** Fields: focusing and filling one causes nothing. */
const FIELDS = "input:not([type=button], [type=submit], [type=image], [type=reset]), textarea, select, option";
const SUBMITTERS = "button, input[type=submit], input[type=image]";

const originOf = (doc: Document) => doc.defaultView?.origin ?? "";

function hasInFrames(doc: Document, selector: string): boolean {
  return [...doc.querySelectorAll("iframe")].some((f) => f.contentDocument?.querySelector(selector));
}

/** hasCardField reports whether a document or one of its frames has a field for the number of a card. */
export function hasCardField(doc: Document = document): boolean {
  return doc.querySelector(CARD_FIELD) !== null || hasInFrames(doc, CARD_FIELD);
}

/** hasPayment is hasCardField, and also true for the frame of a payment provider. */
export function hasPayment(): boolean {
  return document.querySelector(CARD) !== null || hasInFrames(document, CARD);
}

const withoutFragment = (address: string) => address.split("#")[0];

/** isPlainLink reports whether a click opens another document, and no script of this one visibly handles it. */
function isPlainLink(link: HTMLAnchorElement): boolean {
  if (!/^https?:/.test(link.href) || link.closest("[onclick], [role=button]")) return false;
  return withoutFragment(link.href) !== withoutFragment(link.ownerDocument.URL);
}

export interface SentField {
  name: string;
  value: string;
  hidden: boolean; // from the user
}

type FormControl = HTMLInputElement | HTMLButtonElement | HTMLSelectElement | HTMLTextAreaElement;

function isSent(f: FormControl): boolean {
  if (!f.name || f.disabled || f.tagName === "BUTTON") return false;
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
    const isSecret = f.type === "password" || /^cc-|password|one-time-code/.test(f.getAttribute("autocomplete") ?? "");
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
  acts: boolean; // it may have an effect
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

/** submitterOf is what sends a form: Enter in a field is a click on the form's first button that sends. */
function submitterOf(form: HTMLFormElement, sender: Element, button: Element | null): Element {
  if (sender === button) return sender;
  const root = form.getRootNode() as ParentNode & Node;
  const buttons = root.querySelectorAll<HTMLButtonElement | HTMLInputElement>(SUBMITTERS);
  return [...buttons].find((b) => b.form === form && b.type !== "button" && b.type !== "reset") ?? sender;
}

function previewForm(form: HTMLFormElement, by: Element): Partial<Preview> {
  const read = (name: string) =>
    (by.hasAttribute("form" + name) ? by.getAttribute("form" + name) : form.getAttribute(name)) ?? "";
  const method = read("method").toUpperCase();
  return {
    method: method === "POST" || method === "DIALOG" ? method : "GET",
    action: new URL(read("action") || form.ownerDocument.URL, form.ownerDocument.baseURI).href,
    ...listSentFields(form),
  };
}

const isSender = (button: HTMLButtonElement | null) =>
  button !== null && button.type !== "button" && button.type !== "reset";

/**
 * previewClick says what a click on a target would cause, or with enter the key Enter. A target of "" is what has
 * the keyboard.
 */
export function previewClick(target: string, enter: boolean): Preview {
  let el = target === "" ? focusedElement() : findElement(target);
  if (!el || el === el.ownerDocument.body) return { ...NOTHING, origin: originOf(el?.ownerDocument ?? document) };
  // A frame has the keyboard that this script cannot read.
  if (isFrame(el)) return { ...NOTHING, acts: true, element: describe(el) };
  const label = el.closest("label");
  if (label?.control && isLabel(label) && !el.closest("button, a[href], " + FIELDS)) el = label.control;
  const doc = el.ownerDocument;
  const out = { ...NOTHING, payment: el.matches(CARD), origin: originOf(doc) };
  const link = el.closest<HTMLAnchorElement>("a[href], area[href]");
  if (link) out.link = link.href;
  const button = el.closest<HTMLButtonElement>(SUBMITTERS);
  out.element = describe(button ?? link ?? el);
  const sender = enter ? el : isSender(button) ? button : null;
  const form = sender && ((sender as HTMLInputElement).form ?? sender.closest("form"));
  if (form) Object.assign(out, previewForm(form, submitterOf(form, sender, button)));
  const harmless = el.matches(FIELDS) || isEditable(el) || (link !== null && !button && isPlainLink(link));
  out.acts = sender !== null || !harmless;
  // A script may also handle the click of a link, which nobody can see here. On a page that asks for a card it may
  // pay; on others the risk level of the goal limits what it sends.
  if (link && hasCardField(doc)) out.payment = true;
  if (out.acts) out.payment ||= doc.querySelector(CARD) !== null || hasPayment();
  return out;
}
