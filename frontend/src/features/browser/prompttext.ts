import type { PaneAnswer, UserPrompt, UserPromptKind } from "@/bridge/types";

export const noAnswer: Omit<PaneAnswer, "id"> = { yes: false, text: "", user: "", password: "", index: -1, files: [] };

/** Answers a prompt; without an answer the prompt is dismissed. */
export type AnswerPrompt = (question: UserPrompt, answer?: Partial<PaneAnswer>) => void;

const dialogKinds: readonly UserPromptKind[] = [
  "alert",
  "confirm",
  "prompt",
  "leave",
  "permission",
  "login",
  "certificate",
  "files",
];

/** Reports whether a prompt is a box in the middle; others are shown at a field of the page. */
export function isDialog(q: UserPrompt): boolean {
  return dialogKinds.includes(q.kind);
}

interface PromptText {
  title: string;
  text: string;
  yes: string;
  no: string;
}

const permissions: Record<string, string> = {
  geolocation: "know your location",
  notifications: "show notifications",
  camera: "use your camera",
  microphone: "use your microphone",
  "clipboard-read": "read your clipboard",
};

/** The text of a box. The origin comes from Chromium; everything else may come from the page. */
export function promptText(q: UserPrompt): PromptText {
  const who = q.origin.replace(/^https?:\/\//, "") || "This page";
  switch (q.kind) {
    case "alert":
      return { title: `${who} says`, text: q.text, yes: "OK", no: "" };
    case "confirm":
    case "prompt":
      return { title: `${who} asks`, text: q.text, yes: "OK", no: "Cancel" };
    case "leave":
      return {
        title: "Leave this page?",
        text: "Changes that you made may not be saved.",
        yes: "Leave",
        no: "Stay",
      };
    case "permission":
      return { title: `${who} wants to ${permissions[q.value] ?? q.value}`, text: "", yes: "Allow", no: "Block" };
    case "login":
      return { title: `Log in to ${who}`, text: q.text, yes: "Log in", no: "Cancel" };
    case "certificate":
      return {
        title: `The identity of ${who} could not be verified`,
        text:
          `Its certificate is not valid (${q.text}). Your connection may be intercepted. Continue only ` +
          "if you trust it.",
        yes: "Continue anyway",
        no: "Go back",
      };
    default:
      return {
        title: `${who} asks for ${q.multiple ? "files" : "a file"}`,
        text: "",
        yes: q.multiple ? "Choose files…" : "Choose a file…",
        no: "Cancel",
      };
  }
}

export interface Viewport {
  width: number;
  height: number;
}

/** Places an element of a given size below or above a field, within the available space. */
export function placePopup(
  field: { x: number; y: number; width: number; height: number },
  size: Viewport,
  space: Viewport,
) {
  const below = field.y + field.height;
  const top = below + size.height <= space.height || field.y < size.height ? below : field.y - size.height;
  return {
    left: Math.max(0, Math.min(field.x, space.width - size.width)),
    top: Math.max(0, Math.min(top, space.height - size.height)),
  };
}
