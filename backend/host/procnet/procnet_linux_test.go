package procnet_test

import (
	"net"
	"os"
	"strconv"
	"testing"

	"goalpost/backend/host/procnet"
)

// TestIsListening_ServerClosed_IsFalse: it is also false for the port of a connection.
func TestIsListening_ServerClosed_IsFalse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, client := l.Addr().(*net.TCPAddr).AddrPort().Port(), c.LocalAddr().(*net.TCPAddr).AddrPort().Port()
	if !procnet.IsListening(server) || procnet.IsListening(client) {
		t.Errorf("server %v, client %v", procnet.IsListening(server), procnet.IsListening(client))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if procnet.IsListening(server) {
		t.Error("it is closed")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if !procnet.IsListening(u.LocalAddr().(*net.UDPAddr).AddrPort().Port()) {
		t.Error("a UDP socket is not found")
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSocketUser_OverEveryFamily_NamesThePeer: each end of a connection within this machine
// belongs to this user, also where a socket for IPv6 speaks IPv4.
func TestSocketUser_OverEveryFamily_NamesThePeer(t *testing.T) {
	self := strconv.Itoa(os.Getuid())
	for _, c := range []struct{ listen, dial string }{
		{"127.0.0.1:0", "127.0.0.1"},
		{"[::1]:0", "::1"},
		{"[::]:0", "127.0.0.1"},
	} {
		l, err := net.Listen("tcp", c.listen)
		if err != nil {
			t.Logf("%s: %v", c.listen, err) // not every machine has IPv6
			continue
		}
		port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		conn, err := net.Dial("tcp", net.JoinHostPort(c.dial, port))
		if err != nil {
			t.Fatal(err)
		}
		near, far := conn.LocalAddr().(*net.TCPAddr).AddrPort(), conn.RemoteAddr().(*net.TCPAddr).AddrPort()
		if a, b := procnet.SocketUser(near, far), procnet.SocketUser(far, near); a != self || b != self {
			t.Errorf("%s: the ends are %q's and %q's, want %q", c.listen, a, b, self)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if uid := procnet.SocketUser(far, far); uid != "" {
			t.Errorf("%s: a connection that is not there is %q's", c.listen, uid)
		}
	}
}
