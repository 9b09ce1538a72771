import type { Problem } from "./types";

/** The error of a rejected call: Go's Problem as an Error. */
export class CallError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.name = "CallError";
    this.problem = problem;
  }
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null;
}

const text = (v: unknown) => (typeof v === "string" ? v : "");

/**
 * Extracts a Problem from a rejection: the object, its JSON, an Error or a bare string.
 * Wails rejects with an Error whose message is the JSON.
 */
export function asProblem(reason: unknown): Problem {
  if (reason instanceof CallError) return reason.problem;
  if (reason instanceof Error && reason.message) return asProblem(reason.message);
  if (typeof reason === "string") {
    try {
      const parsed: unknown = JSON.parse(reason);
      if (isRecord(parsed) && typeof parsed.message === "string") return asProblem(parsed);
    } catch {
      // Not JSON: the string itself is the message.
    }
    return { code: "internal", message: reason, hint: "", field: "" };
  }
  if (isRecord(reason)) {
    return {
      code: text(reason.code) || "internal",
      message: text(reason.message) || "the call failed without a reason",
      hint: text(reason.hint),
      field: text(reason.field),
    };
  }
  return { code: "internal", message: "the call failed without a reason", hint: "", field: "" };
}
