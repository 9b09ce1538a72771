package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/wire"
)

var _ process.TerminalLauncher = (*Supervisor)(nil)

// StartTerminal is Start with a new pseudo-terminal of the goal's own. A Supervisor without a sandbox has no such
// terminals and returns errors.ErrUnsupported.
func (s *Supervisor) StartTerminal(
	ctx context.Context, c process.Command, cols, rows int,
) (process.Process, *os.File, error) {
	if !s.sandboxed {
		return nil, nil, fmt.Errorf("a terminal of its own for %s: %w", programName(c), errors.ErrUnsupported)
	}
	p, err := s.start(ctx, c, &wire.Size{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		return nil, nil, err
	}
	if p.master == nil {
		return nil, nil,
			errors.Join(fmt.Errorf("starting %s: the helper sent no terminal", programName(c)), p.Signal(syscall.SIGKILL))
	}
	return p, p.master, nil
}

// adoptFile copies a descriptor from the helper into a file whose reads end with Close and deadlines. It returns nil if
// that fails.
func adoptFile(fd int, name string) *os.File {
	duplicate, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(duplicate, true); err != nil {
		_ = unix.Close(duplicate)
		return nil
	}
	return os.NewFile(uintptr(duplicate), name)
}
