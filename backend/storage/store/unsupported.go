//go:build !linux

package store

import "net"

// isSameUser returns false, because finding the user at the other end of a socket is not implemented here.
func isSameUser(net.Conn) bool { return false }
