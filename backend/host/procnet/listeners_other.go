//go:build !linux

package procnet

import "errors"

func tcpListeners() ([]listener, error) { return nil, errors.ErrUnsupported }
