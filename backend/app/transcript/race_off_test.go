//go:build !race

package transcript_test

const usualSteps = 500
