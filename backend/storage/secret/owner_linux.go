package secret

import (
	"os"
	"syscall"
)

// isOwnedByUser reports whether a file belongs to the user of this process.
func isOwnedByUser(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
