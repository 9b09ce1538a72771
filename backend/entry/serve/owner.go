package serve

import (
	"net"
	"net/http"
	"net/netip"

	"goalpost/backend/host/procnet"
)

// connectionUser is the user whose program is at the other end of a connection within this
// machine, as the kernel's tables have it; "" where they do not have it. A cookie goes to
// every server of the same name, whatever its port: another user's must not use it.
func connectionUser(r *http.Request) string {
	near, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	far, err := netip.ParseAddrPort(r.RemoteAddr)
	if !ok || err != nil || !far.Addr().Unmap().IsLoopback() {
		return ""
	}
	return procnet.SocketUser(far, near.AddrPort())
}
