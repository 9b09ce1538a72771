package egress_test

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// dnsQuery is a DNS message that asks for the address of docs.example.
var dnsQuery = append([]byte{0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0},
	"\x04Docs\x07example\x00\x00\x01\x00\x01"...)

// TestDNS_EveryQuestion_IsRefused: the answer is REFUSED (5), or FORMERR (1) to a malformed question, over UDP and
// TCP. The log contains the question.
func TestDNS_EveryQuestion_IsRefused(t *testing.T) {
	p := egress.New(egress.Config{Rules: egress.Rules{Risk: policy.NetworkWrite, Allow: []string{"*"}}})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.DNS.ServeDNS(udp, tcp)
	malformed := append([]byte{}, dnsQuery[:20]...) // the name would continue beyond the end of the message
	for _, c := range []struct {
		network string
		at      net.Addr
		message []byte
		code    byte
	}{
		{"udp", udp.LocalAddr(), dnsQuery, 5},
		{"tcp", tcp.Addr(), dnsQuery, 5},
		{"udp", udp.LocalAddr(), malformed, 1},
		{"tcp", tcp.Addr(), malformed, 1},
	} {
		before := len(p.Entries())
		answer := askName(t, c.network, c.at.String(), c.message)
		if len(answer) < 12 || answer[0] != 0x12 || answer[1] != 0x34 || answer[2]&0x80 == 0 || answer[3]&0x0f != c.code ||
			binary.BigEndian.Uint16(answer[6:]) != 0 {
			t.Errorf("%s: % x was answered % x", c.network, c.message, answer)
		}
		reported := p.Entries()[before:]
		switch {
		case c.code == 1 && len(reported) != 0:
			t.Errorf("%s: what is no question is in the log: %v", c.network, reported)
		case c.code == 5 && (len(reported) != 1 || reported[0].Method != "NAME" ||
			reported[0].Host != "docs.example" || reported[0].Allowed):
			t.Errorf("%s: the log has %v", c.network, reported)
		}
	}
}

// askName sends a message to a DNS server and returns the answer.
func askName(t *testing.T, network, at string, message []byte) []byte {
	t.Helper()
	c, err := net.Dial(network, at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if network == "tcp" {
		message = append(binary.BigEndian.AppendUint16(nil, uint16(len(message))), message...)
	}
	if _, err := c.Write(message); err != nil {
		t.Fatal(err)
	}
	if network == "tcp" {
		said, err := io.ReadAll(c)
		if err != nil || len(said) < 2 || int(binary.BigEndian.Uint16(said)) != len(said)-2 {
			t.Fatalf("% x, %v", said, err)
		}
		return said[2:]
	}
	said := make([]byte, 512)
	n, err := c.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	return said[:n]
}
