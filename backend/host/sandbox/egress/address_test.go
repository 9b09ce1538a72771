package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

// TestDial_NameOfPrivateAddress_IsRefused: no packet is sent, even if another address of the name is public.
func TestDial_NameOfPrivateAddress_IsRefused(t *testing.T) {
	leads := map[string][]netip.Addr{}
	for i, list := range [][]string{
		{"10.0.0.1"},
		{"172.16.0.1"},
		{"192.168.0.1"},
		{"169.254.169.254"},
		{"100.64.0.1"},
		{"127.0.0.1"},
		{"0.0.0.0"},
		{"224.0.0.1"},
		{"198.18.0.1"},
		{"::1"},
		{"::"},
		{"fd00::1"},
		{"fe80::1"},
		{"ff02::1"},
		{"::ffff:10.0.0.1"},
		{"::10.0.0.1"},
		{"64:ff9b::a00:1"},
		{"2002:a00:1::"},
		{"10.0.0.1", "fd00::1"},
	} {
		var addrs []netip.Addr
		for _, a := range list {
			addrs = append(addrs, netip.MustParseAddr(a))
		}
		leads[fmt.Sprintf("n%d.example", i)] = addrs
	}
	p := New(Config{
		Rules: Rules{Risk: policy.SpendsMoney, Allow: []string{"*"}},
		Resolver: func(_ context.Context, host string) ([]netip.Addr, error) {
			return leads[host], nil
		},
	})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	at, err := p.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(u)}
	t.Cleanup(transport.CloseIdleConnections)
	c := http.Client{Transport: transport}
	for host, to := range leads {
		mark := p.LogMark()
		if res, err := c.Get("https://" + host + "/"); err == nil {
			t.Errorf("%s leads to %v and answered %s", host, to, res.Status)
			_ = res.Body.Close()
		}
		res, err := c.Get("http://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s leads to %v and answered %s", host, to, res.Status)
		}
		if refused := p.RefusedSince(mark); len(refused) != 2 || !strings.Contains(refused[0], "CONNECT "+host) ||
			!strings.Contains(refused[1], "GET "+host) {
			t.Errorf("%s leads to %v, and the log says %q", host, to, refused)
		}
	}
}

// TestDialUserHosts_OwnPort_IsRefused tries every name of this machine.
func TestDialUserHosts_OwnPort_IsRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	names := []string{"127.0.0.1", "localhost", "any.localhost", "::ffff:127.0.0.1", "0.0.0.0"}
	dial := DialUserHosts(func(string) bool { return false })
	for _, name := range names {
		c, err := dial(t.Context(), net.JoinHostPort(name, port))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = c.Close()
	}
	if six, err := net.Listen("tcp", "[::1]:0"); err == nil { // this machine has IPv6
		_ = six.Close()
		names = append(names, "::1", "::")
	}
	dial = DialUserHosts(func(p string) bool { return p == port })
	for _, name := range names {
		if c, err := dial(t.Context(), net.JoinHostPort(name, port)); !errors.Is(err, errOwnPort) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// TestPrivateAddress_NamedInTheRules_IsAllowed: a private address is allowed only if the rules name it exactly. A
// pattern or a host name does not allow it, and this machine's own addresses are never allowed.
func TestPrivateAddress_NamedInTheRules_IsAllowed(t *testing.T) {
	r := Rules{
		Risk:  policy.NetworkGet,
		Allow: []string{"10.11.12.13", "192.168.*", "intranet.example", "127.0.0.1", "169.254.169.254", "[fd00::5]:8443"},
	}
	for ask, want := range map[string]bool{
		"10.11.12.13:80": true, "10.11.12.14:80": false, "192.168.0.1:80": false, "intranet.example:80": false,
		"127.0.0.1:80": false, "169.254.169.254:80": false,
	} {
		host, port, err := net.SplitHostPort(ask)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.isLiteralAllowed(Request{Host: host, Port: port}); got != want {
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
		_, err := p.dialHost(context.Background(), net.JoinHostPort(n.IP.String(), "9"))
		if err == nil || !strings.Contains(err.Error(), "is an address of this machine") {
			t.Errorf("%s: %v", n.IP, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
