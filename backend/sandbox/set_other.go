//go:build !linux

package sandbox

import (
	"context"
	"errors"

	"goalpost/backend/process"
)

var errLinux = errors.New("programs can be started on Linux only: the helper for this system is not written yet")

// Set is one owner's programs; see the Linux file.
type Set struct{}

var _ process.Launcher = (*Set)(nil)

// Open refuses.
func Open(context.Context, Options) (*Set, error) { return nil, errLinux }

// Start refuses.
func (*Set) Start(context.Context, process.Command) (process.Process, error) { return nil, errLinux }

// Close has nothing to end.
func (*Set) Close(context.Context) error { return nil }

// Done is never closed.
func (*Set) Done() <-chan struct{} { return nil }

// Err is always the same.
func (*Set) Err() error { return errLinux }
