//go:build !linux

package notify

import (
	"context"
	"errors"
)

// Desktop shows nothing on this system.
type Desktop struct{}

var errSystem = errors.New(
	"notifications are shown on Linux only: run Goalpost on Linux, in a virtual machine or in WSL 2")

// Open returns an error.
func Open(context.Context) (*Desktop, error) { return nil, errSystem }

// Name is empty.
func (*Desktop) Name() string { return "" }

// Show returns an error.
func (*Desktop) Show(context.Context, Notification) (uint32, error) { return 0, errSystem }

// Withdraw returns an error.
func (*Desktop) Withdraw(context.Context, uint32) error { return errSystem }

// Close does nothing.
func (*Desktop) Close() error { return nil }
