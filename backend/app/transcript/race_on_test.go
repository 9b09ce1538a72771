//go:build race

package transcript_test

// usualSteps is the number of steps of each goal in the parallel test. The race detector makes them five times as slow;
// make crash runs all steps without it.
const usualSteps = 150
