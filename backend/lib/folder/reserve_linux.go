package folder

import (
	"errors"
	"os"
	"syscall"
)

// reserve reserves the room by which a file is to grow. Where the file system cannot, it does nothing.
func reserve(f *os.File, from, to int64) error {
	if to <= from {
		return nil
	}
	err := syscall.Fallocate(int(f.Fd()), 0, from, to-from)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return os.NewSyscallError("fallocate", err)
}
