// The limits of tests, which are only reached if something hangs.

/** How many times slower this machine is than a usual one (see build/scripts/slowness.go). */
const slowness = Math.max(1, Number(process.env.TEST_SLOWNESS) || 1);

/** Returns a limit in milliseconds for this machine; `ms` is the limit on a usual one. */
export function limit(ms) {
  return ms * slowness;
}
