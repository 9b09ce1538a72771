package waittest

import (
	"os"
	"strconv"
	"time"
)

// Slowness is how many times slower this machine is than a usual one. The runner of the tests measures it and sets the
// variable TEST_SLOWNESS; without that it is 1.
func Slowness() int {
	n, err := strconv.Atoi(os.Getenv("TEST_SLOWNESS"))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// Scale returns a limit for this machine, given that for a usual one. A limit is there to detect hanging, so the given
// one should already be far above the need.
func Scale(limit time.Duration) time.Duration { return limit * time.Duration(Slowness()) }
