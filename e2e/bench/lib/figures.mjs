/** Returns the value that the share `p` of all values does not exceed (nearest rank). */
export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

export const median = (values) => percentile(values, 0.5);

const bad = 0.95;

/**
 * A row of the table. The median must meet the target, or with `tail` the p95; `both` has the targets of both,
 * [median, p95]. With `atLeast` more is better, and the column p95 has the value that 95 % reach.
 */
export function row(what, values, { unit = "ms", target, both, digits = 0, tail = false, atLeast = false } = {}) {
  const p95 = percentile(values, atLeast ? 1 - bad : bad);
  const held = tail ? p95 : median(values);
  const met = () => ((atLeast ? held >= target : held <= target) ? "yes" : "no");
  if (both) {
    const [middle, end] = both;
    return {
      ...row(what, values, { unit, digits }),
      target: `≤ ${middle}, p95 ≤ ${end}`,
      met: median(values) <= middle && p95 <= end ? "yes" : "no",
    };
  }
  return {
    what,
    median: median(values).toFixed(digits),
    p95: values.length > 1 ? p95.toFixed(digits) : "",
    unit,
    n: values.length,
    target: target === undefined ? "" : `${tail ? "p95 " : ""}${atLeast ? "≥" : "≤"} ${target}`,
    met: target === undefined ? "" : met(),
  };
}
