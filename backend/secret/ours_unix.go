//go:build unix

package secret

import (
	"os"
	"syscall"
)

// ours says whether a file belongs to who runs this program.
func ours(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
