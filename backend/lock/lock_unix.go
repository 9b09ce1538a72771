//go:build unix

// Package lock keeps the processes that share a file of the user's out of each
// other's way while one of them rewrites it.
package lock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Hold takes a file for this process until release, and makes it if it is not
// there. It waits for others, who hold it for the time of one write. The kernel
// drops it with the process.
func Hold(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), f.Close())
	}
	return f.Close, nil // closing lets go
}
