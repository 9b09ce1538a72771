package chromium

import (
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// tryLock takes a lock file for this process, or fails at once; closing it lets go.
// Compiled, not tested.
func tryLock(f *os.File) error {
	const exclusive, atOnce = 2, 1
	var where syscall.Overlapped
	if ok, _, err := lockFileEx.Call(f.Fd(), exclusive|atOnce, 0, 1, 0, uintptr(unsafe.Pointer(&where))); ok == 0 {
		return err //nolint:wrapcheck // the callers say what for
	}
	return nil
}
