//go:build !unix

package process

import "os"

// readAvailable reads nothing: no way is known here to look without waiting.
func readAvailable(*os.File, []byte) int { return 0 }
