package secret

import (
	"os"
	"syscall"
)

// isOwnedByUser says whether a file belongs to who runs this program.
func isOwnedByUser(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
