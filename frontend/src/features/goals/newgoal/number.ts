/** The text as a number from 0 on; empty means 0; null when it is none. */
export function number(text: string): number | null {
  const clean = text
    .trim()
    .replace(/^\$/, "")
    .replace(/[ _,](?=\d{3}\b)/g, "");
  if (clean === "") return 0;
  const n = Number(clean);
  return Number.isFinite(n) && n >= 0 ? n : null;
}
