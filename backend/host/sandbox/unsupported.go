//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"net"
	"os"

	"goalpost/backend/domain/process"
)

// errUnsupported is the error on other systems: namespaces, mounts, Landlock and seccomp exist only on Linux.
var errUnsupported = errors.New(
	"Goalpost starts programs on Linux only: run it on Linux, in a virtual machine or in WSL 2")

// Supervisor does not exist on this system: Open returns an error.
type Supervisor struct{}

var _ process.Launcher = (*Supervisor)(nil)

// StartDetached returns an error.
func StartDetached(string, []string, *os.File, ...*os.File) error { return errUnsupported }

// Open returns an error.
func Open(context.Context, Options) (*Supervisor, error) { return nil, errUnsupported }

// Start returns an error.
func (*Supervisor) Start(context.Context, process.Command) (process.Process, error) {
	return nil, errUnsupported
}

// Close does nothing.
func (*Supervisor) Close(context.Context) error { return nil }

// Done returns a channel that is never closed.
func (*Supervisor) Done() <-chan struct{} { return nil }

// Err returns the reason why no program runs.
func (*Supervisor) Err() error { return errUnsupported }

// Network returns an error.
func (*Supervisor) Network() (*Network, error) { return nil, errUnsupported }

// Dial returns an error.
func (*Supervisor) Dial(context.Context, string, string) (net.Conn, error) {
	return nil, errUnsupported
}

// Grant returns an error.
func (*Supervisor) Grant(context.Context, RuntimeGrant) (*ActiveGrant, error) {
	return nil, errUnsupported
}

// ActiveGrant does not exist on this system.
type ActiveGrant struct{ Port net.Listener }

// Revoke does nothing.
func (*ActiveGrant) Revoke(context.Context) error { return nil }

// FreezeAgent returns an error.
func (*Supervisor) FreezeAgent(context.Context) (*Freeze, error) { return nil, errUnsupported }

// Freeze does not exist on this system.
type Freeze struct{}

// Thaw does nothing.
func (*Freeze) Thaw() {}

// Listens returns false.
func (*Freeze) Listens() bool { return false }

// WasEnded returns false.
func (*Freeze) WasEnded() bool { return false }

// UnsealFolder returns an error.
func (*Supervisor) UnsealFolder(context.Context) error { return errUnsupported }

// SealFolder returns an error.
func (*Supervisor) SealFolder(context.Context, string) error { return errUnsupported }

// KillMark returns 0.
func (*Supervisor) KillMark() int64 { return 0 }

// KilledSince returns nothing.
func (*Supervisor) KilledSince(int64) []string { return nil }

// CgroupError says that there are no cgroups here.
func (*Supervisor) CgroupError() error { return errUnsupported }

// Landlock returns 0: this kernel has none.
func Landlock() int { return 0 }

func isRootFile(string) bool { return false }
