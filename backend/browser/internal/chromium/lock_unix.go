//go:build unix

package chromium

import (
	"os"
	"syscall"
)

// tryLock takes a lock file for this process, or fails at once; closing it lets go.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:wrapcheck // the callers say what for
}
