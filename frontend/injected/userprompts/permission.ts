import { report, truncate } from "./report";

/** reportPermissions reports the permissions that the page asks for, see permissions.ts. */
export function reportPermissions(): void {
  addEventListener("goalpost-ask", (e) => {
    const [name, id] = String((e as CustomEvent<unknown>).detail).split(" ");
    report({ t: "permission", type: truncate(name, 40), text: truncate(id, 20), origin: location.origin });
  });
}

/** answerPermission lets the page's call that asked continue. */
export function answerPermission(id: string): true {
  dispatchEvent(new CustomEvent("goalpost-said", { detail: id }));
  return true;
}
