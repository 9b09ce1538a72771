import type { AnswerInput, ApprovalView, Scope } from "@/bridge/types";

/** The user's choice for a request. */
export interface ApprovalChoice {
  allow: boolean;
  scope: Scope;
  why: string;
  /** Also applies to requests of the same kind. */
  all: boolean;
}

/**
 * Requests that can be answered together: the same tool with the same choices, of one goal or for one reason. A request
 * that always asks is answered alone, and access to the machine is never granted to another goal.
 */
export function sameKind(a: ApprovalView, b: ApprovalView): boolean {
  const scopes = (v: ApprovalView) => (v.offers ?? []).map((o) => o.scope).join(" ");
  const opens = (a.offers ?? []).some((o) => o.scope === "reach");
  if (a.always || b.always || a.tool !== b.tool || a.risk !== b.risk || scopes(a) !== scopes(b)) return false;
  return a.goal_id === b.goal_id || (a.why === b.why && !opens);
}

/** What an approval of a scope covers. */
export function scopeLabel(a: ApprovalView, scope: Scope): string {
  return (a.offers ?? []).find((o) => o.scope === scope)?.covers ?? "";
}

/** The other waiting requests of the same kind. */
export function similarRequests(list: readonly ApprovalView[], a: ApprovalView): ApprovalView[] {
  return list.filter((o) => o !== a && o.given === "" && sameKind(o, a));
}

/** One choice as the answers to several requests. */
export function groupRequests(list: readonly ApprovalView[], choice: ApprovalChoice): AnswerInput[] {
  return list.map((a) => ({
    goal_id: a.goal_id,
    request: a.request,
    allow: choice.allow,
    scope: choice.scope,
    why: choice.why,
  }));
}
