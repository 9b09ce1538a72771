package egress

import (
	"context"
	"net"
	"strings"
	"testing"

	"goalpost/backend/policy"
)

// TestAPrivateAddressThatIsWrittenOut is dialed, and nothing that only leads there:
// no pattern, no name, and no address of this machine.
func TestAPrivateAddressThatIsWrittenOut(t *testing.T) {
	r := Rules{Risk: policy.NetworkGet, Allow: []string{"10.11.12.13", "192.168.*", "intranet.example", "127.0.0.1", "169.254.169.254", "[fd00::5]:8443"}}
	for ask, want := range map[string]bool{
		"10.11.12.13:80": true, "10.11.12.14:80": false, "192.168.0.1:80": false, "intranet.example:80": false,
		"127.0.0.1:80": false, "169.254.169.254:80": false,
	} {
		host, port, err := net.SplitHostPort(ask)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.writtenOut(Request{Host: host, Port: port}); got != want {
			t.Errorf("%s: %t", ask, got)
		}
	}
	mine, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range mine {
		n, ok := a.(*net.IPNet)
		if !ok || !n.IP.IsPrivate() {
			continue
		}
		p := New(Config{Rules: Rules{Risk: policy.NetworkGet, Allow: []string{n.IP.String()}}})
		_, err := p.dial(context.Background(), net.JoinHostPort(n.IP.String(), "9"))
		if err == nil || !strings.Contains(err.Error(), "is an address of this machine") {
			t.Errorf("%s: %v", n.IP, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
