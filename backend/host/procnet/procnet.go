// Package procnet reads the kernel's tables of sockets (/proc/net/tcp and its siblings) for the network namespace of
// the calling process: in the helper a goal's, in the app the machine's. On a system without these tables it finds no
// sockets.
package procnet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// IsListening reports whether a port has a TCP server or any UDP socket, on any address.
func IsListening(port uint16) bool {
	if slices.ContainsFunc(tabledListeners(), func(l listener) bool { return l.port == int(port) }) {
		return true
	}
	hasPort := func(s socket) bool { return s.port() == int(port) }
	return scanTable("udp", hasPort) || scanTable("udp6", hasPort)
}

// UserPorts returns the TCP ports on which programs of a user listen for connections from this machine, sorted. uid
// is in decimal.
func UserPorts(uid string) []int {
	var ports []int
	for _, l := range listeners() {
		if l.uid == uid && l.port > 0 && !slices.Contains(ports, l.port) {
			ports = append(ports, l.port)
		}
	}
	slices.Sort(ports)
	return ports
}

// OwnedListeners returns the TCP ports on which processes listen, and whether one of them listens on a Unix socket. It
// sees only processes of the same user, and every process when it runs as root.
func OwnedListeners(processes []int) (ports []uint16, onUnix bool) {
	// The programs of a goal rarely have a socket, and reading the kernel's tables takes much longer than this.
	open := openSockets(processes)
	if len(open) == 0 {
		return nil, false
	}
	for _, l := range tabledListeners() {
		if open["socket:["+l.inode+"]"] {
			ports = append(ports, uint16(l.port)) //nolint:gosec // it is a port
		}
	}
	return ports, open.hasAny(listeningUnixSockets())
}

// listener is a TCP socket that listens.
type listener struct {
	port       int
	uid, inode string // in decimal
}

// listeners returns the TCP sockets that listen. It is for the app: inside a sandbox, the kernel refuses the question
// and the user is shown that, so the helper reads the tables. They are also read where the kernel does not answer the
// question for these sockets alone, because it lacks the module or is none of Linux.
func listeners() []listener {
	list, err := tcpListeners()
	if err == nil {
		return list
	}
	return tabledListeners()
}

func tabledListeners() (list []listener) {
	for _, table := range []string{"tcp", "tcp6"} {
		scanTable(table, func(s socket) bool {
			if s.state == stateListen {
				list = append(list, listener{port: s.port(), uid: s.uid, inode: s.inode})
			}
			return false
		})
	}
	return list
}

// listeningUnixSockets returns the names of the Unix sockets that listen.
func listeningUnixSockets() (names []string) {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		fields := strings.Fields(lines.Text())
		if len(fields) < 7 {
			continue
		}
		const accepts = 1 << 16 // __SO_ACCEPTCON
		if flags, err := strconv.ParseUint(fields[3], 16, 32); err == nil && flags&accepts != 0 {
			names = append(names, "socket:["+fields[6]+"]")
		}
	}
	return names
}

// socketSet has the names of sockets.
type socketSet map[string]bool

func (s socketSet) hasAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s[name] })
}

// openSockets returns the sockets that processes have open.
func openSockets(processes []int) socketSet {
	all := socketSet{}
	for _, process := range processes {
		dir := "/proc/" + strconv.Itoa(process) + "/fd/"
		open, _ := os.ReadDir(dir)
		for _, file := range open {
			if to, err := os.Readlink(dir + file.Name()); err == nil && strings.HasPrefix(to, "socket:") {
				all[to] = true
			}
		}
	}
	return all
}

// SocketUser returns the uid, in decimal, of the user whose TCP socket is bound to local and
// connected to remote; "" if there is none. For a connection within this machine, local is
// the peer's address.
func SocketUser(local, remote netip.AddrPort) (uid string) {
	find := func(table string, format func(netip.AddrPort) string) bool {
		from, to := format(local), format(remote)
		return scanTable(table, func(s socket) bool {
			if s.local != from || s.remote != to {
				return false
			}
			uid = s.uid
			return true
		})
	}
	if local.Addr().Unmap().Is4() && remote.Addr().Unmap().Is4() && find("tcp", formatIPv4) {
		return uid
	}
	find("tcp6", formatIPv6)
	return uid
}

const stateListen = "0A" // TCP_LISTEN

// socket is one line of a table; addresses are ADDRESS:PORT in hexadecimal.
type socket struct{ local, remote, state, uid, inode string }

// port is the local port, -1 in the heading of a table.
func (s socket) port() int {
	_, text, _ := strings.Cut(s.local, ":")
	port, err := strconv.ParseUint(text, 16, 16)
	if err != nil {
		return -1
	}
	return int(port)
}

// scanTable visits the sockets of a table until visit returns true, and reports whether it did.
func scanTable(table string, visit func(socket) bool) bool {
	f, err := os.Open("/proc/net/" + table)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// sl local_address rem_address st queues timer retransmits uid timeout inode …
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 {
			continue
		}
		if visit(socket{local: fields[1], remote: fields[2], state: fields[3], uid: fields[7], inode: fields[9]}) {
			return true
		}
	}
	return false
}

func formatIPv4(a netip.AddrPort) string {
	b := a.Addr().Unmap().As4()
	return formatAddress(b[:], a.Port())
}

// formatIPv6 writes an IPv4 address as one mapped into IPv6.
func formatIPv6(a netip.AddrPort) string {
	b := a.Addr().As16()
	return formatAddress(b[:], a.Port())
}

// formatAddress writes an address as the tables do: each four bytes as a number in the byte order of this machine.
func formatAddress(parts []byte, port uint16) string {
	var b strings.Builder
	for ; len(parts) > 0; parts = parts[4:] {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(parts))
	}
	return fmt.Sprintf("%s:%04X", b.String(), port)
}
