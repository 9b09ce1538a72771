import type { GoalRequest } from "@/bridge/types";
import { emptyCheck, type DraftCheck } from "./draftcheck";

/** The optional fields that the page itself reads, so that a draft always has them. */
type PageField =
  | "any"
  | "new_worktree"
  | "unconfined"
  | "critic_every"
  | "allow_hosts"
  | "allow_local"
  | "allow_write"
  | "allow_read"
  | "allow_socket"
  | "work"
  | "check_dir"
  | "secrets"
  | "after"
  | "panes"
  | "attached"
  | "protect"
  | "no_protect"
  | Confirmation;

/** What the user confirms for one start alone. */
type Confirmation = "allow_passing" | "allow_missing" | "run_outside";

/** A request while the user writes it. A limit of 0 is none. */
export interface Draft extends Omit<GoalRequest, "checks" | PageField>, Required<Pick<GoalRequest, PageField>> {
  checks: DraftCheck[];
  /** The text of fields that is not valid, while the fields have their last valid values. */
  invalid: Partial<Record<Exclude<keyof GoalRequest, "checks">, string>>;
}

export const noConfirmation = {
  allow_passing: false,
  allow_missing: false,
  run_outside: false,
} satisfies Pick<Draft, Confirmation>;

export const emptyDraft: Draft = {
  objective: "",
  checks: [emptyCheck],
  any: false,
  risk: "write_local",
  dir: "",
  new_worktree: false,
  provider: "",
  model: "",
  fallbacks: [],
  wall_clock_ms: 3_600_000,
  usd: 0,
  tokens: 0,
  iterations: 300,
  claims_per_check: 5,
  critic_every: 5,
  allow_hosts: [],
  allow_local: [],
  allow_write: [],
  allow_read: [],
  allow_socket: [],
  work: [],
  check_dir: "",
  secrets: [],
  unconfined: false,
  after: [],
  panes: [],
  attached: "",
  protect: [],
  no_protect: [],
  ...noConfirmation,
  invalid: {},
};

/** Changes fields of a draft. Their invalid text is replaced, too. */
export function changeDraft(draft: Draft, part: Partial<Draft>): Draft {
  const invalid = Object.fromEntries(Object.entries(draft.invalid).filter(([name]) => !(name in part)));
  return { ...draft, invalid, ...part };
}

/** Returns the type of a JSON value. */
export const jsonType = (value: unknown) => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** Returns the models of a request as one line: PROVIDER/MODEL, and after commas those for while it is away. */
export function modelNames({
  provider = "",
  model = "",
  fallbacks,
}: Partial<Pick<GoalRequest, "provider" | "model" | "fallbacks">>): string {
  const own = provider && model && !model.startsWith(`${provider}/`) ? `${provider}/${model}` : model || provider;
  return [own, ...(fallbacks ?? [])].filter(Boolean).join(", ");
}

const key = "goalpost.new-goal";

/** The last draft. It survives closing the dialog and the window. One of another shape is ignored. */
export function savedDraft(storage: Pick<Storage, "getItem">): Draft {
  try {
    const saved: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (jsonType(saved) !== "object") return emptyDraft;
    const draft: Draft = { ...emptyDraft, ...(saved as Partial<Draft>), ...noConfirmation };
    const names = Object.keys(emptyDraft) as (keyof Draft)[];
    if (names.some((name) => jsonType(draft[name]) !== jsonType(emptyDraft[name]))) return emptyDraft;
    return {
      ...draft,
      provider: "",
      model: modelNames(draft),
      fallbacks: [],
      checks: draft.checks.length > 0 ? draft.checks.map((c) => ({ ...emptyCheck, ...c })) : [emptyCheck],
    };
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
