package serve

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// connectionUser is the user of the program at the other end of a connection within this machine, from the kernel's
// tables; "" if unknown. A cookie is sent to every server of the same name, whatever its port: another user's server
// must not be able to use it.
func connectionUser(r *http.Request) string {
	near, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	far, err := netip.ParseAddrPort(r.RemoteAddr)
	if !ok || err != nil || !far.Addr().Unmap().IsLoopback() {
		return ""
	}
	here := near.AddrPort()
	if far.Addr().Unmap().Is4() {
		if uid := findUserInTable("/proc/net/tcp", tableName(far, false), tableName(here, false)); uid != "" {
			return uid
		}
	}
	return findUserInTable("/proc/net/tcp6", tableName(far, true), tableName(here, true))
}

// findUserInTable parses "sl local_address rem_address st queues timer retransmits uid …".
func findUserInTable(table, from, to string) string {
	const uid = 7
	f, err := os.Open(table)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if field := strings.Fields(lines.Text()); len(field) > uid && field[1] == from && field[2] == to {
			return field[uid]
		}
	}
	return ""
}

// tableName is an address as in those tables: each four bytes as a number in this machine's byte order.
func tableName(a netip.AddrPort, six bool) string {
	long := a.Addr().As16()
	parts := long[:]
	if !six {
		short := a.Addr().Unmap().As4()
		parts = short[:]
	}
	var b strings.Builder
	for ; len(parts) > 0; parts = parts[4:] {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(parts))
	}
	return fmt.Sprintf("%s:%04X", b.String(), a.Port())
}
