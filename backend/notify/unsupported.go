//go:build !linux

package notify

import (
	"context"
	"errors"
)

// Desktop shows nothing on this system.
type Desktop struct{}

var errSystem = errors.New("notifications are shown on Linux only: run Goalpost on Linux, in a virtual machine or in WSL 2")

// Open refuses.
func Open(context.Context) (*Desktop, error) { return nil, errSystem }

// Name is empty.
func (*Desktop) Name() string { return "" }

// Notify refuses.
func (*Desktop) Notify(context.Context, Notification) error { return errSystem }

// Close has nothing to let go of.
func (*Desktop) Close() error { return nil }
