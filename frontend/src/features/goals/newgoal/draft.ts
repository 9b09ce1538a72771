import type { Risk } from "@/bridge/types";
import { emptyCheck, type DraftCheck } from "./draftcheck";

/** The dialog's fields as the user types them: numbers are still text. */
export interface Draft {
  objective: string;
  checks: DraftCheck[];
  any: boolean;
  risk: Risk;
  dir: string;
  /** Work in a new git worktree of the folder's repository. */
  worktree: boolean;
  /** The engine that drives the goal; `""` is the one in the settings. */
  engine: string;
  provider: string;
  model: string;
  minutes: string;
  usd: string;
  tokens: string;
  iterations: string;
  claims: string;
  allowTools: string;
  denyTools: string;
  allowHosts: string;
  denyHosts: string;
  allowLocal: string;
  /** Paths separated by commas, since they may contain spaces. */
  allowWrite: string;
  /** What the agent may change in the folder; `""` is everything. A glob counts as the folder above it. */
  work: string;
  /** A folder that only the checks read. */
  checkDir: string;
  /** What the agent sees of a failed check; `""` is the default. */
  checkOutput: "" | "exit" | "names" | "full";
  /** The user confirmed checks outside the sandbox. */
  runOutside: boolean;
  allowRead: string;
  allowSocket: string;
  secrets: string[];
  unconfined: boolean;
  allowPassing: boolean;
  allowMissing: boolean;
  requireSteps: boolean;
  criticEvery: string;
  critic: string;
  judge: string;
  review: "" | "always" | "never";
  /** The persona; `""` is the engineer. */
  persona: string;
  /** How much the model thinks; `""` is the provider's default. */
  effort: string;
  /** What happens to an approval that nobody answers; `""` pauses the goal. */
  onAsk: "" | "deny" | "allow";
  after: string[];
  panes: string[];
  protect: string;
  noProtect: string;
}

export const emptyDraft: Draft = {
  objective: "",
  checks: [emptyCheck],
  any: false,
  risk: "write_local",
  dir: "",
  worktree: false,
  engine: "",
  provider: "",
  model: "",
  minutes: "60",
  usd: "",
  tokens: "",
  iterations: "300",
  claims: "5",
  allowTools: "",
  denyTools: "",
  allowHosts: "",
  denyHosts: "",
  allowLocal: "",
  allowWrite: "",
  work: "",
  checkDir: "",
  checkOutput: "",
  runOutside: false,
  allowRead: "",
  allowSocket: "",
  secrets: [],
  unconfined: false,
  allowPassing: false,
  allowMissing: false,
  requireSteps: false,
  criticEvery: "5",
  critic: "",
  judge: "",
  review: "",
  persona: "",
  effort: "",
  onAsk: "",
  after: [],
  panes: [],
  protect: "",
  noProtect: "",
};

const key = "goalpost.new-goal";

/** The last draft. It survives closing the dialog and the window. */
export function savedDraft(storage: Pick<Storage, "getItem">): Draft {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (typeof parsed !== "object" || parsed === null) return emptyDraft;
    const draft = {
      ...emptyDraft,
      ...(parsed as Partial<Draft>),
      allowPassing: false,
      allowMissing: false,
      runOutside: false,
    };
    const checks = Array.isArray(draft.checks) ? draft.checks.map((c) => ({ ...emptyCheck, ...c })) : [];
    return { ...draft, checks: checks.length > 0 ? checks : [emptyCheck] };
  } catch {
    return emptyDraft;
  }
}

export function saveDraft(storage: Pick<Storage, "setItem" | "removeItem">, draft: Draft | null): void {
  try {
    if (draft) storage.setItem(key, JSON.stringify(draft));
    else storage.removeItem(key);
  } catch {
    // If the storage is full or forbidden, only the draft is lost.
  }
}
