package cdp

import (
	"os"
	"syscall"
)

// enlargePipe makes a pipe hold a whole frame instead of 64 KiB, so that Chromium and this program wake each other
// once per frame instead of five times. If the system refuses, the pipe keeps its size.
func enlargePipe(f *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20)
	})
}
