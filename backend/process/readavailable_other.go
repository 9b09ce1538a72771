//go:build !unix

package process

import "os"

// readAvailable reads nothing: this system has no known way to read without waiting.
func readAvailable(*os.File, []byte) int { return 0 }
