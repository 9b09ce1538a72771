//go:build race

package transcript_test

// usualSteps is how many steps each of the goals at once makes. With the race detector they take five times as
// long; make crash runs all of them without it.
const usualSteps = 150
