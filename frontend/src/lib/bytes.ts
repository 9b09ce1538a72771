/** `812 B`, `1.4 kB`, `3.0 MB`; units of 1,000. */
export function bytes(n: number): string {
  if (n < 1_000) return `${n} B`;
  if (n < 1_000_000) return `${(n / 1_000).toFixed(1)} kB`;
  return `${(n / 1_000_000).toFixed(1)} MB`;
}

/** Formats tokens: `940`, `12.4 k`, `1.2 M`. */
export function count(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 1_000_000) return `${(n / 1_000).toFixed(1)} k`;
  return `${(n / 1_000_000).toFixed(1)} M`;
}

/** Formats dollars with cents, and with more digits below one cent. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${usd.toFixed(4)}`;
  return `$${usd.toFixed(2)}`;
}
