//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"net"

	"goalpost/backend/process"
)

// errUnsupported is what every other system gets: programs are held by namespaces, mounts,
// Landlock and seccomp, and each of them is Linux's.
var errUnsupported = errors.New(
	"Goalpost starts programs on Linux only: run it on Linux, in a virtual machine or in WSL 2")

// Supervisor cannot be had here: Open refuses.
type Supervisor struct{}

var _ process.Launcher = (*Supervisor)(nil)

// Open refuses.
func Open(context.Context, Options) (*Supervisor, error) { return nil, errUnsupported }

// Start refuses.
func (*Supervisor) Start(context.Context, process.Command) (process.Process, error) {
	return nil, errUnsupported
}

// Close has nothing to end.
func (*Supervisor) Close(context.Context) error { return nil }

// Done never closes.
func (*Supervisor) Done() <-chan struct{} { return nil }

// Err says why nothing runs.
func (*Supervisor) Err() error { return errUnsupported }

// Network refuses.
func (*Supervisor) Network() (*Network, error) { return nil, errUnsupported }

// Dial refuses.
func (*Supervisor) Dial(context.Context, string, string) (net.Conn, error) {
	return nil, errUnsupported
}

// Grant refuses.
func (*Supervisor) Grant(context.Context, RuntimeGrant) (*ActiveGrant, error) {
	return nil, errUnsupported
}

// ActiveGrant cannot be had here.
type ActiveGrant struct{ Port net.Listener }

// Revoke has nothing to take back.
func (*ActiveGrant) Revoke(context.Context) error { return nil }

// FreezeAgent refuses.
func (*Supervisor) FreezeAgent(context.Context) (thaw func(), err error) { return nil, errUnsupported }

// FreezeIdleAgent refuses.
func (*Supervisor) FreezeIdleAgent(context.Context) (thaw func(), err error) {
	return nil, errUnsupported
}

// UnsealFolder refuses.
func (*Supervisor) UnsealFolder(context.Context) error { return errUnsupported }

// SealFolder refuses.
func (*Supervisor) SealFolder(context.Context, string) error { return errUnsupported }

// KillMark is 0.
func (*Supervisor) KillMark() int64 { return 0 }

// KilledSince is empty.
func (*Supervisor) KilledSince(int64) []string { return nil }

// Landlock is 0: this kernel has none.
func Landlock() int { return 0 }

func isRootFile(string) bool { return false }
