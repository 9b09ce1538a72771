package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// isRootFile reports whether path is a file or folder that only root can change.
func isRootFile(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode()&0o022 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
