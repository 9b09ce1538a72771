package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// DialUserHosts returns a dialer to HOST:PORT with the rights of the user's programs. It refuses this program's own
// ports on this machine, under any name. It is meant for Config.Dial.
func DialUserHosts(ours func(port string) bool) func(ctx context.Context, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: dialTime, Control: func(_, at string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(at)
		if err != nil {
			return fmt.Errorf("dialing %s: %w", at, err)
		}
		addr := to.Addr().Unmap().WithZone("")
		if ours(strconv.Itoa(int(to.Port()))) &&
			(addr.IsLoopback() || addr.IsUnspecified() || checkNotOwnAddress(addr) != nil) {
			return errOwnPort
		}
		return nil
	}}
	return func(ctx context.Context, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("dialing: %w", err)
		}
		if strings.HasSuffix(host, ".localhost") { // browsers resolve these names themselves
			host = "localhost"
		}
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			return nil, fmt.Errorf("dialing: %w", err)
		}
		return conn, nil
	}
}
