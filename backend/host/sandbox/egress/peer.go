package egress

import (
	"net"
	"strconv"

	"goalpost/backend/host/procnet"
)

// isPeerUser reports whether the peer of a connection within this machine belongs to the user; false if the kernel's
// tables do not list the peer.
func isPeerUser(c net.Conn, uid int) bool {
	far, ok := c.RemoteAddr().(*net.TCPAddr)
	near, ok2 := c.LocalAddr().(*net.TCPAddr)
	return ok && ok2 && procnet.SocketUser(far.AddrPort(), near.AddrPort()) == strconv.Itoa(uid)
}
