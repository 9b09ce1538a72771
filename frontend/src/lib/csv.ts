/** A table as CSV. Texts can be those of others: a program for tables would compute what begins as a formula. */
export function csv(lines: readonly (readonly (string | number)[])[]): string {
  return lines.map((line) => `${line.map(field).join(",")}\n`).join("");
}

function field(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
