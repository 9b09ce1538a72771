//go:build unix

package secret

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock holds a file for this process until unlock. It waits for others, who
// hold it for the time of one write.
func lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of the secrets: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock of the secrets: %w", err), f.Close())
	}
	return f.Close, nil // closing lets go
}
