import type { Check, CheckType } from "@/bridge/types";
import { parseNumber } from "./formats";

/** One check in the form. It has the fields of every type, so that changing the type loses nothing. */
export interface DraftCheck {
  type: CheckType;
  command: string;
  exitCode: string;
  dir: string;
  /** shell: `""` in the sandbox, `host`, `ssh:NAME`. */
  where: string;
  /** shell: a doubted pass does not run again. */
  noRerun: boolean;
  url: string;
  method: string;
  status: string;
  contains: string;
  predicate: string;
  path: string;
  absent: boolean;
  minSize: string;
  sha256: string;
  matches: string;
  expr: string;
  from: "claim" | "file" | "command" | "url";
  question: string;
  twice: boolean;
  whole: boolean;
  note: string;
  wait: boolean;
}

export const emptyCheck: DraftCheck = {
  type: "shell",
  command: "",
  exitCode: "0",
  dir: "",
  where: "",
  noRerun: false,
  url: "",
  method: "",
  status: "200",
  contains: "",
  predicate: "",
  path: "",
  absent: false,
  minSize: "",
  sha256: "",
  matches: "",
  expr: "",
  from: "claim",
  question: "",
  twice: false,
  whole: false,
  note: "",
  wait: false,
};

/** Identifies a check by its content. */
export const keyOf = (c: DraftCheck): string => JSON.stringify(c);

/** Reports whether the user has begun to write a check. A check that a user decides needs no text. */
export function isFilled(c: DraftCheck): boolean {
  return c.type === "manual" || mainField(c).trim() !== "";
}

/** Returns the required field of a check's type. */
function mainField(c: DraftCheck): string {
  switch (c.type) {
    case "shell":
      return c.command;
    case "http":
      return c.url;
    case "file":
      return c.path;
    case "json_predicate":
      return c.expr;
    case "visual":
    case "model_question":
      return c.question;
    case "manual":
      return c.note;
  }
}

/** Returns a visible problem of a check, `""` if there is none. */
export function checkError(c: DraftCheck): string {
  switch (c.type) {
    case "shell":
      return /^\d{1,3}$/.test(c.exitCode.trim()) ? "" : "Enter an exit code from 0 to 255";
    case "http":
      return /^\d{3}$/.test(c.status.trim()) ? "" : "Enter a status such as 200";
    case "file":
      return parseNumber(c.minSize) === null ? "Enter a size in bytes" : "";
    case "json_predicate":
      if (c.from === "file" && !c.path.trim()) return "Enter the file with the JSON";
      if (c.from === "command" && !c.command.trim()) return "Enter a command that prints the JSON";
      if (c.from === "url" && !c.url.trim()) return "Enter a URL that returns JSON";
      return "";
    default:
      return "";
  }
}

/** Leaves out empty fields, so that Go's defaults apply and the frozen criterion stays short. */
function orUndefined(part: Partial<Check>): Partial<Check> {
  return Object.fromEntries(Object.entries(part).filter(([, v]) => v !== "" && v !== false && v !== 0));
}

export function checkOf(c: DraftCheck): Check {
  const { type } = c;
  switch (type) {
    case "shell":
      return {
        type,
        exit_code: Number(c.exitCode.trim() || "0"),
        ...orUndefined({ command: c.command.trim(), dir: c.dir.trim(), where: c.where, no_rerun: c.noRerun }),
      };
    case "http": {
      const status = Number(c.status.trim() || "200");
      return {
        type,
        ...orUndefined({
          url: c.url.trim(),
          method: c.method.trim().toUpperCase(),
          status: status === 200 ? 0 : status,
          body_contains: c.contains,
          predicate: c.predicate.trim(),
        }),
      };
    }
    case "file":
      if (c.absent) return { type, path: c.path.trim(), absent: true };
      return {
        type,
        ...orUndefined({
          path: c.path.trim(),
          min_size: Math.round(parseNumber(c.minSize) ?? 0),
          sha256: c.sha256.trim().toLowerCase(),
          matches: c.matches,
        }),
      };
    case "json_predicate":
      return { type, expr: c.expr.trim(), ...source(c) };
    case "visual":
      return { type, ...orUndefined({ question: c.question.trim(), url: c.url.trim(), whole: c.whole }) };
    case "model_question":
      return { type, question: c.question.trim(), ...(c.twice ? { threshold: "high_confidence" } : {}) };
    case "manual":
      return { type, ...orUndefined({ note: c.note.trim(), wait: c.wait }) };
  }
}

function source(c: DraftCheck): Partial<Check> {
  switch (c.from) {
    case "claim":
      return {};
    case "file":
      return { from: c.from, path: c.path.trim() };
    case "command":
      return { from: c.from, command: c.command.trim() };
    case "url":
      return { from: c.from, url: c.url.trim() };
  }
}

/** A check as the dialog writes it. Fields that only a file can set (a timeout, a pane) are not kept. */
export function draftCheck(c: Check): DraftCheck {
  return {
    ...emptyCheck,
    type: c.type,
    command: c.command ?? "",
    exitCode: String(c.exit_code ?? 0),
    dir: c.dir ?? "",
    where: c.where ?? "",
    noRerun: c.no_rerun ?? false,
    url: c.url ?? "",
    method: c.method ?? "",
    status: String(c.status ?? 200),
    contains: c.body_contains ?? "",
    predicate: c.predicate ?? "",
    path: c.path ?? "",
    absent: c.absent ?? false,
    minSize: c.min_size ? String(c.min_size) : "",
    sha256: c.sha256 ?? "",
    matches: c.matches ?? "",
    expr: c.expr ?? "",
    from: c.from || "claim",
    question: c.question ?? "",
    whole: c.whole ?? false,
    twice: c.threshold === "high_confidence",
    note: c.note ?? "",
    wait: c.wait ?? false,
  };
}
