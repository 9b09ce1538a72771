package seccomp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/procnet"
	"goalpost/backend/host/sandbox/wire"
)

// maxAddress is the size of the kernel's sockaddr_storage, in bytes.
const maxAddress = 128

// ignoredSockets are sockets that the C library often looks for.
var ignoredSockets = map[string]bool{"/var/run/nscd/socket": true, "/run/nscd/socket": true, "/dev/log": true}

// checkConnect returns the violation of a connect that cannot succeed: to an address beyond the goal's loopback, to a
// port of the loopback on which nothing listens, or to a missing socket.
func (no *Notifier) checkConnect(n notice, raw []byte) wire.Violation {
	got := len(raw)
	if got < 2 {
		return wire.Violation{}
	}
	switch binary.NativeEndian.Uint16(raw) {
	case unix.AF_INET:
		if got >= 8 {
			return no.checkAddress(netip.AddrFrom4([4]byte(raw[4:8])), binary.BigEndian.Uint16(raw[2:]))
		}
	case unix.AF_INET6:
		if got >= 24 {
			return no.checkAddress(netip.AddrFrom16([16]byte(raw[8:24])).Unmap(), binary.BigEndian.Uint16(raw[2:]))
		}
	case unix.AF_UNIX:
		return describeCall(checkUnixSocket(n.pid, raw[2:]))
	}
	return wire.Violation{}
}

// readSockaddr copies the address of a connect call, as far as it can be read.
func readSockaddr(n notice) []byte {
	raw := make([]byte, min(n.args[2], maxAddress))
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return nil
	}
	defer func() { _ = mem.Close() }()
	got, _ := mem.ReadAt(raw, int64(n.args[1])) //nolint:gosec // an address of another process
	return raw[:got]
}

func (no *Notifier) checkAddress(to netip.Addr, port uint16) wire.Violation {
	if !to.IsLoopback() && !to.IsUnspecified() {
		return describeCall("connect to " + netip.AddrPortFrom(to, port).String() + " without the proxy")
	}
	// A check reports a missing server itself.
	if port == 0 || no.domain == wire.DomainCheck || no.servers.open(port) {
		return wire.Violation{}
	}
	return wire.Violation{
		Text: fmt.Sprintf("connect to port %d of this machine, which is not the goal's", port),
		Port: port,
	}
}

// checkUnixSocket returns the violation of a connect to a missing Unix socket, "" for others.
func checkUnixSocket(pid uint32, name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if name[0] == 0 {
		abstract := "@" + string(name[1:])
		if sockets, err := os.ReadFile("/proc/net/unix"); err != nil || strings.Contains(string(sockets), " "+abstract+"\n") {
			return ""
		}
		return fmt.Sprintf("speak to the socket %q", abstract)
	}
	path, _, _ := strings.Cut(string(name), "\x00")
	socketPath := path
	if !strings.HasPrefix(path, "/") {
		socketPath = fmt.Sprintf("/proc/%d/cwd/%s", pid, path)
	}
	if _, err := os.Lstat(socketPath); ignoredSockets[path] || !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return fmt.Sprintf("speak to the socket %q", path)
}

// listeningCache stores for a moment which ports have a listener, because reading the kernel's tables is slow if there
// are many connections.
type listeningCache struct{ times map[uint16]time.Time }

const listeningCacheTTL = time.Second

func (l *listeningCache) open(port uint16) bool {
	if time.Since(l.times[port]) < listeningCacheTTL {
		return true
	}
	if !procnet.IsListening(port) {
		return false
	}
	if l.times == nil || len(l.times) > 1000 {
		l.times = map[uint16]time.Time{}
	}
	l.times[port] = time.Now()
	return true
}
