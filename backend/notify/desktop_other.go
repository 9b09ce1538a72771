//go:build !linux

package notify

import (
	"context"
	"errors"
)

// Desktop shows nothing on this system yet.
type Desktop struct{}

var errSystem = errors.New("notes are shown on Linux only")

// Open refuses.
func Open(context.Context) (*Desktop, error) { return nil, errSystem }

// Name is empty.
func (*Desktop) Name() string { return "" }

// Notify refuses.
func (*Desktop) Notify(context.Context, Notification) error { return errSystem }

// Close has nothing to let go of.
func (*Desktop) Close() error { return nil }
