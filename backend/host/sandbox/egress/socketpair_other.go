//go:build !unix

package egress

import (
	"errors"
	"net"
)

func socketPair() (one, other net.Conn, err error) { return nil, nil, errors.ErrUnsupported }
