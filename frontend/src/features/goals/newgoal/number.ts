/** Parses a number from 0 on. Empty text is 0; text that is not a number is null. */
export function number(text: string): number | null {
  const clean = text
    .trim()
    .replace(/^\$/, "")
    .replace(/[ _,](?=\d{3}\b)/g, "");
  if (clean === "") return 0;
  const n = Number(clean);
  return Number.isFinite(n) && n >= 0 ? n : null;
}
