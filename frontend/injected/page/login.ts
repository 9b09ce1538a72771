// Finds the fields of a login. Chromium reports the origin of a document: a sandboxed frame has the address of a site
// but not its origin.
import { TargetError } from "./errors";
import { findElement } from "./find";
import { eachRendered } from "./walk";
import { refOf } from "./refs";
import { isInput } from "./dom";
import { innerDocument } from "./tree";
import { isVisible } from "./visibility";
import { documentOf, queryIn } from "./native";

function* eachDocument(doc: Document): Generator<Document> {
  yield doc;
  for (const el of queryIn(doc, "iframe, frame")) {
    const inside = innerDocument(el);
    if (inside) yield* eachDocument(inside);
  }
}

const originOf = (doc: Document) => doc.defaultView?.origin ?? "null";

/** listOrigins lists the origins of the page and the frames that this script can read, at most 20. */
export function listOrigins(): string[] {
  const origins = new Set([...eachDocument(document)].map(originOf));
  return [...origins].filter((o) => /^https?:/.test(o)).slice(0, 20);
}

/** findLoginForm finds the one password field of a document of this origin, and the field for the user name. */
export function findLoginForm(origin: string) {
  const documents = [...eachDocument(document)].filter((doc) => originOf(doc) === origin);
  let error = new TargetError("origin", `the origin of the page is ${location.origin} and not ${origin}`);
  for (const [i, doc] of documents.entries()) {
    try {
      return findFormIn(doc);
    } catch (e) {
      if (!(e instanceof TargetError)) throw e;
      if (i === 0) error = e;
    }
  }
  throw error;
}

const NAME_HINT = /user|login|mail|account/i;

function isUserField(el: HTMLInputElement): boolean {
  return (
    /username|email|webauthn/.test(el.autocomplete) || el.type === "email" || NAME_HINT.test(`${el.name} ${el.id}`)
  );
}

function findFormIn(doc: Document) {
  const inputs = [...eachRendered(doc.documentElement)].filter(isInput);
  const fields = inputs.filter((el) => documentOf(el) === doc && isVisible(el) && !el.disabled && !el.readOnly);
  const passwords = fields.filter((el) => el.type === "password" && el.autocomplete !== "new-password");
  if (passwords.length > 1) {
    throw new TargetError("many", `${passwords.length} fields ask for a password: this is not a login form`);
  }
  const names = fields.filter((el) => ["text", "email", "tel"].includes(el.type));
  const userFields = names.filter(isUserField);
  const [password] = passwords;
  if (!password) {
    const [user, ...others] = userFields;
    if (!user || others.length > 0) throw new TargetError("none", "the page has no login form");
    return { user: refOf(user), password: "" };
  }
  const isBefore = (el: HTMLInputElement) =>
    el.form === password.form && (el.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const user = userFields.findLast(isBefore) ?? names.findLast(isBefore);
  return { user: user ? refOf(user) : "", password: refOf(password) };
}

/** hasOrigin reports whether a field still exists, in a document of this origin. */
export function hasOrigin(target: string, origin: string) {
  return { held: originOf(findElement(target).ownerDocument) === origin };
}
