package egress

import (
	"bufio"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// isPeerUser asks the kernel's table of connections whose the other end is. Both
// ends are on this machine. No entry is nobody's.
func isPeerUser(c net.Conn, uid int) bool {
	far, ok := c.RemoteAddr().(*net.TCPAddr)
	near, ok2 := c.LocalAddr().(*net.TCPAddr)
	if !ok || !ok2 {
		return false
	}
	f, err := os.Open("/proc/net/tcp")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	want, wantRemote := tableName(far.AddrPort()), tableName(near.AddrPort())
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// sl local_address rem_address st queues timer retransmits uid …
		field := strings.Fields(lines.Text())
		if len(field) > 7 && field[1] == want && field[2] == wantRemote {
			owner, err := strconv.Atoi(field[7])
			return err == nil && owner == uid
		}
	}
	return false
}

// tableName is an IPv4 address as /proc/net/tcp writes it: the bytes of the
// address backwards on the machines that we build for, the port forwards.
func tableName(a netip.AddrPort) string {
	b := a.Addr().Unmap().As4()
	return strings.ToUpper(hex.EncodeToString([]byte{b[3], b[2], b[1], b[0], byte(a.Port() >> 8), byte(a.Port())})[:8]) + ":" +
		strings.ToUpper(hex.EncodeToString([]byte{byte(a.Port() >> 8), byte(a.Port())}))
}
