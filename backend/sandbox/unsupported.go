//go:build !linux && !darwin

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"goalpost/backend/process"
)

// seatbelt: this system has no walls to offer.
type seatbelt struct{}

func newSeatbelt(context.Context, Spec) (seatbelt, error) {
	return seatbelt{}, fmt.Errorf("%w: Goalpost has no sandbox for this system. Say --unconfined to run this goal's programs with your own rights instead", ErrRefused)
}

func (seatbelt) command(c process.Command) (argv, env []string) { return c.Argv, c.Env }

func (seatbelt) close() error { return nil }

// Network refuses: nothing is walled here.
func (s *Supervisor) Network() (*Network, error) {
	return nil, fmt.Errorf("the network of %s: it has none of its own", s.name)
}

// Dial refuses.
func (*Supervisor) Dial(_ context.Context, _, address string) (net.Conn, error) {
	return nil, fmt.Errorf("dialing %s: %w", address, errors.ErrUnsupported)
}

func ownSession(bool) *syscall.SysProcAttr { return nil }

// signal can only end a program here.
func signal(p *os.Process, sig syscall.Signal) error {
	if sig != syscall.SIGKILL && sig != syscall.SIGTERM && sig != syscall.SIGHUP {
		return nil
	}
	if err := p.Kill(); err != nil {
		return fmt.Errorf("ending a program: %w", err)
	}
	return nil
}

func statusOf(s *os.ProcessState) process.Status { return process.Status{Code: s.ExitCode()} }
