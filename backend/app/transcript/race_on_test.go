//go:build race

package transcript_test

// usualSteps is how many steps each of the goals at once makes. The race detector
// makes them five times as dear; make crash runs all of them without it.
const usualSteps = 150
