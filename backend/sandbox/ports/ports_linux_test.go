package ports_test

import (
	"net"
	"testing"

	"goalpost/backend/sandbox/ports"
)

// TestListening: a server is found as long as it listens, a connection from that
// port is none.
func TestListening(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, client := l.Addr().(*net.TCPAddr).AddrPort().Port(), c.LocalAddr().(*net.TCPAddr).AddrPort().Port()
	if !ports.Listening(server) || ports.Listening(client) {
		t.Errorf("server %v, client %v", ports.Listening(server), ports.Listening(client))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if ports.Listening(server) {
		t.Error("it is closed")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if !ports.Listening(u.LocalAddr().(*net.UDPAddr).AddrPort().Port()) {
		t.Error("a UDP socket is not found")
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
}
