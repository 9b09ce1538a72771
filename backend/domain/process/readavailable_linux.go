package process

import (
	"errors"
	"os"
	"syscall"
)

// readAvailable reads what is in a pipe without waiting for more, and returns 0 if it is empty. Deadlines of the file
// must be unset.
func readAvailable(pipe *os.File, b []byte) int {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Read(func(fd uintptr) bool { // its error means the end of the file
		for {
			if n, err = syscall.Read(int(fd), b); !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	return max(n, 0)
}
