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

// DialUserHosts connects to an address, HOST:PORT, as any program of the user would, but
// to no port of this program on this machine, by whatever name. It is for Config.Dial.
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
		if strings.HasSuffix(host, ".localhost") { // which a browser asks nobody for
			host = "localhost"
		}
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			return nil, fmt.Errorf("dialing: %w", err)
		}
		return conn, nil
	}
}
