//go:build !linux

package secret

import "os"

// isOwnedByUser is false: on this system nobody has looked at who may write a file.
func isOwnedByUser(os.FileInfo) bool { return false }
