import type { Check } from "@/bridge/types";

/** The whole check in one line, because the user approves exactly this. */
export function describeCheck(c: Check): string {
  switch (c.type) {
    case "shell":
      return `${c.command ?? ""}${c.exit_code ? ` (exit ${c.exit_code})` : ""}`;
    case "http":
      return `${c.method || "GET"} ${c.url ?? ""} is ${c.status || 200}${c.body_contains ? ` and contains ${c.body_contains}` : ""}`;
    case "file": {
      const rest = [
        c.matches ? `matches ${c.matches}` : "",
        c.min_size && c.min_size > 1 ? `${c.min_size} B or more` : "",
      ];
      return [`${c.path ?? ""} ${c.absent ? "does not exist" : "exists"}`, ...rest.filter(Boolean)].join(", ");
    }
    default:
      return c.question ?? c.expr ?? c.note ?? "";
  }
}
