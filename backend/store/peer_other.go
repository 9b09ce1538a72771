//go:build !linux

package store

import "net"

// sameUser trusts the modes of the folder and the socket: 0700 and 0600.
func sameUser(net.Conn) bool { return true }
