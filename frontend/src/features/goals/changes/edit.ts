import type { ChangedFile } from "@/bridge/types";

/** Reports whether the user's editor can open a file: it exists and is text. */
export const canEdit = (f: ChangedFile) => f.after.type === "file" && !f.binary;
