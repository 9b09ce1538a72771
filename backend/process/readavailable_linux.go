package process

import (
	"errors"
	"os"
	"syscall"
)

// readAvailable reads what is in a pipe, without waiting for more; 0 is nothing. Deadlines
// of the file must be unset.
func readAvailable(pipe *os.File, b []byte) int {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Read(func(fd uintptr) bool { // its error is the file's end for us
		for {
			if n, err = syscall.Read(int(fd), b); !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	return max(n, 0)
}
