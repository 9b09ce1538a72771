package egress_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"goalpost/backend/policy"
	"goalpost/backend/sandbox/egress"
)

// TestDecide is the ladder at the border.
func TestDecide(t *testing.T) {
	get := egress.Rules{Risk: policy.NetworkGet, Allow: []string{"docs.example", "*.pkg.example", "port.example:8443"}, Deny: []string{"bad.pkg.example"}}
	local := egress.Rules{Risk: policy.WriteLocal, Allow: []string{"docs.example"}, Granted: []string{"given.example"}, Local: []string{"10.0.0.7:5432"}}
	write := egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"*.evil.example", "evil.example"}}
	for _, c := range []struct {
		rules egress.Rules
		from  egress.From
		ask   string // METHOD HOST:PORT
		ok    bool
	}{
		{get, egress.Program, "GET docs.example:80", true},
		{get, egress.Program, "POST docs.example:80", true}, // what a tunnel carries is not read either
		{get, egress.Program, "CONNECT docs.example:22", true},
		{get, egress.Program, "GET docs.example.evil.example:80", false},
		{get, egress.Program, "CONNECT a.b.pkg.example:443", true},
		{get, egress.Program, "CONNECT pkg.example:443", false},
		{get, egress.Program, "CONNECT bad.pkg.example:443", false},
		{get, egress.Program, "CONNECT port.example:8443", true},
		{get, egress.Program, "CONNECT port.example:443", false},
		{get, egress.Pane, "GET docs.example:80", true},
		{get, egress.Pane, "POST docs.example:80", false},
		{get, egress.Pane, "CONNECT docs.example:443", true},
		{get, egress.Pane, "CONNECT docs.example:22", false},
		{local, egress.Program, "GET docs.example:80", false},
		{local, egress.Program, "CONNECT given.example:443", true},
		{local, egress.Program, "CONNECT 10.0.0.7:5432", true},
		{local, egress.Program, "CONNECT 10.0.0.7:22", false},
		{write, egress.Program, "POST anywhere.example:80", true},
		{write, egress.Pane, "DELETE anywhere.example:80", true},
		{write, egress.Program, "GET evil.example:80", false},
		{write, egress.Program, "GET deep.evil.example:80", false},
		{write, egress.Program, "GET 2130706433:80", false}, // addresses that are not written like one
		{write, egress.Program, "GET 0x7f.1:80", false},
		{write, egress.Program, "GET 127.1:80", false},
		{write, egress.Program, "GET a..example:80", false},
		{write, egress.Program, "GET ex ample:80", false},
	} {
		method, where, _ := strings.Cut(c.ask, " ")
		host, port, _ := strings.Cut(where, ":")
		reason, ok := c.rules.Decide(egress.Request{From: c.from, Method: method, Host: host, Port: port})
		if ok != c.ok || !ok && reason == "" {
			t.Errorf("%s of a %s at %s: %v (%s)", c.ask, c.from, c.rules.Risk, ok, reason)
		}
	}
}

// FuzzDenied: whatever is allowed besides, a denied host stays denied.
func FuzzDenied(f *testing.F) {
	f.Add("evil.example", "443", "CONNECT")
	f.Add("EVIL.example.", "80", "GET")
	f.Fuzz(func(t *testing.T, host, port, method string) {
		deny := egress.Rules{Risk: policy.SpendsMoney, Allow: []string{host, "*." + host}, Granted: []string{host}, Local: []string{host + ":" + port}, Deny: []string{host}}
		q := egress.Request{From: egress.Program, Method: method, Host: strings.ToLower(host), Port: port}
		if strings.ContainsAny(host, ":[]") {
			t.Skip() // an entry with a port denies that port alone
		}
		if _, ok := deny.Decide(q); ok {
			t.Errorf("%+v went out", q)
		}
	})
}

// world is a server of this machine under a name that only the proxy's resolver knows.
func world(tb testing.TB, rules egress.Rules) (page *httptest.Server, proxy *egress.Proxy, client *http.Client) {
	tb.Helper()
	page = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.Host, b)
	}))
	tb.Cleanup(page.Close)
	proxy = egress.New(egress.Config{
		Rules: rules,
		Resolver: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "docs.example":
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			case "rebound.example":
				return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
			}
			return nil, errors.New("no such name")
		},
		Public: func(a netip.Addr) error {
			if a.String() != "127.0.0.1" { // stands for the open internet here
				return fmt.Errorf("%s is not an address of the open internet", a)
			}
			return nil
		},
	})
	tb.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			tb.Error(err)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	proxy.Serve(l, egress.Program)
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()})}
	tb.Cleanup(transport.CloseIdleConnections)
	return page, proxy, &http.Client{Transport: transport}
}

func port(page *httptest.Server) string { return page.URL[strings.LastIndex(page.URL, ":")+1:] }

func TestProxy(t *testing.T) {
	page, proxy, client := world(t, egress.Rules{Risk: policy.NetworkGet, Allow: []string{"docs.example", "rebound.example"}})
	get := func(host string) (int, string) {
		r, err := client.Get("http://" + host + ":" + port(page) + "/")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Body.Close() }()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(b)
	}
	if status, body := get("docs.example"); status != 200 || body != "GET docs.example:"+port(page)+" " {
		t.Errorf("%d %q", status, body)
	}
	mark := proxy.Mark()
	if status, body := get("other.example"); status != 403 || !strings.Contains(body, "not among the allowed hosts") {
		t.Errorf("%d %q", status, body)
	}
	// A name that is allowed and turns out to be inside is refused at the address.
	if status, body := get("rebound.example"); status == 200 || !strings.Contains(body, "open internet") {
		t.Errorf("%d %q", status, body)
	}
	if refused := proxy.Refused(mark); len(refused) == 0 || !strings.HasPrefix(refused[0], "GET other.example:"+port(page)) {
		t.Errorf("refused: %q", refused)
	}
	if e := proxy.Entries()[0]; !e.Allowed || e.Host != "docs.example" || e.In == 0 {
		t.Errorf("the log says %+v", e)
	}
	proxy.SetRules(egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"docs.example"}})
	if status, _ := get("docs.example"); status != 403 {
		t.Errorf("a denied host answered %d", status)
	}
}

// TestPass: who shows a pass reaches its hosts, as long as it holds.
func TestPass(t *testing.T) {
	page, proxy, client := world(t, egress.Rules{Risk: policy.WriteLocal, Deny: []string{"denied.example"}})
	pass, end := proxy.Pass([]string{"docs.example", "denied.example"})
	get := func(host, pass string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+":"+port(page)+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pass)))
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		host, pass string
		want       int
	}{{"docs.example", pass, 200}, {"docs.example", "check:", 403}, {"docs.example", "check:guessed", 403}, {"other.example", pass, 403}, {"denied.example", pass, 403}} {
		if got := get(c.host, c.pass); got != c.want {
			t.Errorf("%s with %q answered %d, want %d", c.host, c.pass, got, c.want)
		}
	}
	end()
	if got := get("docs.example", pass); got != 403 {
		t.Errorf("a pass that is over opens the host: %d", got)
	}
}

// TestForward: a port of the machine appears where the goal looks for it.
func TestForward(t *testing.T) {
	machine, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = machine.Close() }()
	go func() {
		c, err := machine.Accept()
		if err != nil {
			return
		}
		line, _ := bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, "heard "+line)
		_ = c.Close()
	}()
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := egress.New(egress.Config{Rules: egress.Rules{Risk: policy.WriteLocal}})
	proxy.Forward(inside, machine.Addr().(*net.TCPAddr).Port)
	c, err := net.Dial("tcp", inside.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(c); err != nil || string(b) != "heard hello\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	if list := proxy.Entries(); len(list) != 1 || list[0].Method != "FORWARD" {
		t.Errorf("the log says %+v", list)
	}
}

// BenchmarkRequest is what the proxy adds: the same page without it and through it.
func BenchmarkRequest(b *testing.B) {
	page, _, through := world(b, egress.Rules{Risk: policy.NetworkGet, Allow: []string{"docs.example"}})
	for _, c := range []struct {
		name, url string
		client    *http.Client
	}{
		{"direct", page.URL, page.Client()},
		{"proxied", "http://docs.example:" + port(page), through},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r, err := c.client.Get(c.url + "/")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					b.Fatal(err)
				}
				_ = r.Body.Close()
			}
		})
	}
}
