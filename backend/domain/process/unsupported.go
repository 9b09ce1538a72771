//go:build !linux

package process

import "os"

// readAvailable reads nothing: no program runs on this system.
func readAvailable(*os.File, []byte) int { return 0 }
