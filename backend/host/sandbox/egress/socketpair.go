//go:build unix

package egress

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// socketPair returns two connected sockets.
func socketPair() (one, other net.Conn, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to the goal's proxy: %w", err)
	}
	one, err = fileConn(fds[0])
	other, err2 := fileConn(fds[1])
	if err = errors.Join(err, err2); err != nil {
		for _, c := range []net.Conn{one, other} {
			if c != nil {
				_ = c.Close()
			}
		}
		return nil, nil, fmt.Errorf("connecting to the goal's proxy: %w", err)
	}
	return one, other, nil
}

// fileConn takes over a socket.
func fileConn(fd int) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), "proxy") //nolint:gosec // a descriptor of the kernel is not negative
	defer func() { _ = f.Close() }()
	return net.FileConn(f) //nolint:wrapcheck // the caller wraps it
}
