//go:build !linux

package awake

import (
	"context"
	"errors"
)

// Take returns an error.
func Take(context.Context, string, bool) (*Lock, error) {
	return nil, errors.New("the computer is kept awake on Linux only: " +
		"run Goalpost on Linux, in a virtual machine or in WSL 2")
}
