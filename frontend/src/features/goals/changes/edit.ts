import type { ChangedFile } from "@/bridge/types";

/** Whether the user's editor can open a file: it is there and is text. */
export const canEdit = (f: ChangedFile) => f.after.type === "file" && !f.binary;
