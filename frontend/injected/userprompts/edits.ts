// What the user entered, which would be lost with the document.
import { listen, report } from "./report";

let reported = false;

/** noteEdit reports, once for each document, that the user entered something. */
export function noteEdit(): void {
  if (reported) return;
  reported = true;
  report({ t: "edited" });
}

export function reportEdits(): void {
  listen("input", noteEdit);
}
