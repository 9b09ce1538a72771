/**
 * Why the program gets no result: what is "stale" no longer exists, "none" matches, "many" match, "bad" is no
 * valid target.
 */
export type ErrorCode = "stale" | "none" | "many" | "bad" | "disabled" | "hidden" | "covered" | "elsewhere";

/** TargetError is an error that the agent reads, and can act upon. */
export class TargetError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}
