// Package socket sends and receives the messages of backend/host/sandbox/wire.
package socket

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// ErrClosed means that the other side closed the socket.
var ErrClosed = errors.New("end of file")

// Receive waits for one request. The caller must close the descriptors, also on error.
func Receive(socket int) (wire.Request, []int, error) {
	packet, oob := make([]byte, wire.PacketSize), make([]byte, wire.OOBSize)
	for {
		var r wire.Request
		n, oobn, _, _, err := unix.Recvmsg(socket, packet, oob, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECONNRESET), err == nil && n == 0:
			return r, nil, ErrClosed
		case err != nil:
			return r, nil, fmt.Errorf("reading requests: %w", err)
		}
		fds, err := wire.Descriptors(oob[:oobn])
		if err == nil {
			fds, err = wire.Decode(packet[:n], fds, &r)
		}
		if err != nil {
			return r, fds, fmt.Errorf("reading requests: %w", err)
		}
		return r, fds, nil
	}
}

// Send sends one message with descriptors, which the caller still owns. A closed reader is not an error: the loop
// that reads requests sees its end of file.
func Send(socket int, message any, fds ...int) error {
	packet, file, err := wire.Encode(message)
	if err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	if file != nil {
		defer func() { _ = file.Close() }()
		fds = append([]int{int(file.Fd())}, fds...)
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(socket, packet, rights, nil, unix.MSG_NOSIGNAL)
		switch {
		case err == nil, errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET):
			return nil
		case errors.Is(err, unix.EINTR):
		default:
			return fmt.Errorf("answering: %w", err)
		}
	}
}

func CloseAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd) // the receiver has its own copy
	}
}

// SandboxFailure is the error of a step in building a sandbox.
func SandboxFailure(step string, err error) *wire.Error {
	return &wire.Error{Code: wire.SandboxError, Text: fmt.Sprintf("%s: %v", step, err)}
}
