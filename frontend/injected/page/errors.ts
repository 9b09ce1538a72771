/**
 * Why a call has no result. "stale": the element no longer exists. "none": no element matches. "many": several match.
 * "bad": the target is not valid for the call. "origin": the document is of another origin.
 */
export type ErrorCode = "stale" | "none" | "many" | "bad" | "disabled" | "hidden" | "covered" | "origin";

/** TargetError is an error that the agent reads and can act on. */
export class TargetError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}
