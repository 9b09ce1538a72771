// Logins that the user submits. Without a form, a click on a button or Enter in a field counts as submitting.
import { isElement, listen, notifyChanged, report, targetOf, truncate } from "./report";

const isUserName = (f: HTMLInputElement) => /username|email/.test(f.autocomplete);

/** userFieldOf gives the field for the user name that belongs to a password. */
export function userFieldOf(password: HTMLInputElement): HTMLInputElement | undefined {
  const all = [...(password.form ?? document).querySelectorAll("input")];
  const named = all.find((f) => isUserName(f) && f !== password);
  if (named) return named;
  const before = all.slice(0, all.indexOf(password));
  return before.findLast((f) => /^(text|email|tel|url|)$/.test(f.type) && f.checkVisibility());
}

function findPassword(scope: ParentNode): HTMLInputElement | undefined {
  return [...scope.querySelectorAll<HTMLInputElement>("input[type=password]")].find((f) => f.checkVisibility());
}

function reportSent(scope: ParentNode): void {
  const password = findPassword(scope);
  const user = password && userFieldOf(password);
  if (!password?.value || !user?.value) return;
  const login = { user: truncate(user.value, 300), password: truncate(password.value, 1000) };
  report({ t: "sent", origin: location.origin, ...login });
}

/** reportLogins reports user names and passwords that the user sends. */
export function reportLogins(): void {
  listen("submit", (e) => {
    const form = targetOf(e);
    if (isElement(form)) reportSent(form);
  });
  listen("click", (e) => {
    const target = targetOf(e);
    const pressed = isElement(target) ? target.closest("button, input[type=button], [role=button]") : null;
    if (pressed && !((pressed as HTMLButtonElement).form ?? pressed.closest("form"))) reportSent(document);
  });
  listen("keydown", (e) => {
    const target = targetOf(e);
    if (e.key !== "Enter" || !isElement(target) || target.tagName !== "INPUT") return;
    if (!(target as HTMLInputElement).form) reportSent(document);
  });
}

/** fillLogin fills a login in if the document still has the origin, and lists what it filled: "user", "password". */
export function fillLogin(origin: string, user: string, password: string): string[] {
  const filled: string[] = [];
  if (location.origin !== origin) return filled;
  const fill = (el: HTMLInputElement | undefined, value: string, what: string) => {
    if (!el || el.disabled || el.readOnly) return;
    el.focus();
    el.value = value;
    notifyChanged(el);
    filled.push(what);
  };
  const secret = findPassword(document);
  // The first step of a login in two steps asks for the user name alone.
  const findAlone = () => [...document.querySelectorAll("input")].find((f) => isUserName(f) && f.checkVisibility());
  fill(secret ? userFieldOf(secret) : findAlone(), user, "user");
  // The scripts of the page have run since.
  if (location.origin === origin && secret?.type === "password") fill(secret, password, "password");
  return filled;
}
