import { report, truncate } from "./report";

/** reportPermissions reports what the script in the world of the page asks permission for, see permissions.ts. */
export function reportPermissions(): void {
  addEventListener("goalpost-ask", (e) => {
    const [name, id] = String((e as CustomEvent<unknown>).detail).split(" ");
    report({ t: "permission", type: truncate(name, 40), text: truncate(id, 20), origin: location.origin });
  });
}

/** answerPermission lets the call of the page continue that asked. */
export function answerPermission(id: string): true {
  dispatchEvent(new CustomEvent("goalpost-said", { detail: id }));
  return true;
}
