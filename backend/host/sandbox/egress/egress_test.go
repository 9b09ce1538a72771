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
	"time"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/waittest"
)

// TestDecide_EachRequest_FollowsTheRules: the cases are in the order of the rules.
func TestDecide_EachRequest_FollowsTheRules(t *testing.T) {
	get := egress.Rules{
		Risk:  policy.NetworkGet,
		Allow: []string{"docs.example", "*.pkg.example", "port.example:8443"},
		Deny:  []string{"bad.pkg.example"},
	}
	local := egress.Rules{
		Risk:    policy.WriteLocal,
		Allow:   []string{"docs.example"},
		Granted: []string{"given.example"},
		Local:   []string{"10.0.0.7:5432"},
	}
	given := egress.Rules{Risk: policy.WriteLocal, Deny: []string{"bad.example", "1.2.3.4"}, Given: []egress.HostGrant{
		{Host: "read.example", Risk: policy.NetworkGet},
		{Host: "write.example", Risk: policy.NetworkWrite},
		{Host: "page.example", Risk: policy.NetworkGet, From: egress.SourcePane},
		{Host: "bad.example", Risk: policy.SpendsMoney},
	}}
	readOne := egress.Rules{Risk: policy.NetworkGet, Given: given.Given}
	all := egress.Rules{Risk: policy.NetworkGet, Allow: []string{"*"}, Deny: []string{"evil.example.", "1.2.3.4"}}
	nothing := egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"*"}}
	write := egress.Rules{Risk: policy.NetworkWrite, Deny: []string{"*.evil.example", "evil.example"}}
	for _, c := range []struct {
		rules egress.Rules
		from  egress.Source
		ask   string // METHOD HOST:PORT
		ok    bool
	}{
		{get, egress.SourceProgram, "GET docs.example:80", true},
		{get, egress.SourceProgram, "POST docs.example:80", true}, // the content of tunnels is not checked either
		{get, egress.SourceProgram, "CONNECT docs.example:22", true},
		{get, egress.SourceProgram, "GET docs.example.evil.example:80", false},
		{get, egress.SourceProgram, "CONNECT a.b.pkg.example:443", true},
		{get, egress.SourceProgram, "CONNECT pkg.example:443", false},
		{get, egress.SourceProgram, "CONNECT bad.pkg.example:443", false},
		{get, egress.SourceProgram, "CONNECT port.example:8443", true},
		{get, egress.SourceProgram, "CONNECT port.example:443", false},
		{get, egress.SourcePane, "GET docs.example:80", true},
		{get, egress.SourcePane, "POST docs.example:80", false},
		{get, egress.SourcePane, "CONNECT docs.example:443", true},
		{get, egress.SourcePane, "CONNECT docs.example:22", true}, // the first bytes of a page's tunnel are checked later
		{get, egress.SourcePane, "WEBSOCKET docs.example:443", false},
		{local, egress.SourceProgram, "GET docs.example:80", false},
		{local, egress.SourceProgram, "CONNECT given.example:443", true},
		{local, egress.SourceProgram, "CONNECT 10.0.0.7:5432", true},
		{local, egress.SourceProgram, "CONNECT 10.0.0.7:22", false},
		{given, egress.SourceProgram, "GET read.example:80", true},
		{given, egress.SourceProgram, "CONNECT read.example:443", true},
		{given, egress.SourceProgram, "POST read.example:80", false}, // an approval for reading does not allow writing
		{given, egress.SourcePane, "GET read.example:80", true},
		{given, egress.SourcePane, "POST read.example:80", false},
		{given, egress.SourcePane, "CONNECT read.example:22", true},
		{given, egress.SourceProgram, "POST write.example:80", true},
		{given, egress.SourcePane, "CONNECT write.example:22", true},
		{given, egress.SourcePane, "GET page.example:80", true},
		{given, egress.SourceProgram, "GET page.example:80", false}, // the grant is for pages, not for programs
		{given, egress.SourceProgram, "GET bad.example:80", false},
		{given, egress.SourceProgram, "GET other.example:80", false},
		{readOne, egress.SourceProgram, "POST read.example:80", false},
		{all, egress.SourceProgram, "GET anywhere.example:80", true},
		{all, egress.SourceProgram, "GET evil.example:80", false},
		{all, egress.SourceProgram, "CONNECT [::ffff:1.2.3.4]:443", false}, // another notation of a denied address
		{nothing, egress.SourceProgram, "GET anywhere.example:80", false},
		{write, egress.SourceProgram, "POST anywhere.example:80", true},
		{write, egress.SourcePane, "DELETE anywhere.example:80", true},
		{write, egress.SourceProgram, "GET evil.example:80", false},
		{write, egress.SourceProgram, "GET deep.evil.example:80", false},
		{write, egress.SourceProgram, "GET 2130706433:80", false}, // addresses in a non-standard notation
		{write, egress.SourceProgram, "GET 0x7f.1:80", false},
		{write, egress.SourceProgram, "GET 127.1:80", false},
		{write, egress.SourceProgram, "GET a..example:80", false},
		{write, egress.SourceProgram, "GET ex ample:80", false},
	} {
		method, where, _ := strings.Cut(c.ask, " ")
		host, port, err := net.SplitHostPort(where)
		if err != nil {
			t.Fatal(err)
		}
		reason, ok := c.rules.Decide(egress.Request{From: c.from, Method: method, Host: host, Port: port})
		if ok != c.ok || !ok && reason == "" {
			t.Errorf("%s of a %s at %s: %v (%s)", c.ask, c.from, c.rules.Risk, ok, reason)
		}
	}
}

// FuzzDenied checks that a denied host stays denied, no matter what other hosts the rules allow.
func FuzzDenied(f *testing.F) {
	f.Add("evil.example", "443", "CONNECT")
	f.Add("EVIL.example.", "80", "GET")
	f.Fuzz(func(t *testing.T, host, port, method string) {
		deny := egress.Rules{
			Risk:    policy.SpendsMoney,
			Allow:   []string{host, "*." + host},
			Granted: []string{host},
			Local:   []string{host + ":" + port},
			Deny:    []string{host},
		}
		q := egress.Request{From: egress.SourceProgram, Method: method, Host: strings.ToLower(host), Port: port}
		if strings.ContainsAny(host, ":[]") {
			t.Skip() // an entry with a port denies only that port
		}
		if _, ok := deny.Decide(q); ok {
			t.Errorf("%+v went out", q)
		}
	})
}

// world starts a server on this machine under a name that only the proxy's resolver knows, and a proxy with its
// client.
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
			case "docs.example", "named.example":
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
	proxy.Serve(l, egress.SourceProgram)
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()})}
	tb.Cleanup(transport.CloseIdleConnections)
	return page, proxy, &http.Client{Transport: transport}
}

func port(page *httptest.Server) string { return page.URL[strings.LastIndex(page.URL, ":")+1:] }

func TestProxy_HostNotAllowed_IsRefused(t *testing.T) {
	page, proxy, client := world(t, egress.Rules{
		Risk:  policy.NetworkGet,
		Allow: []string{"docs.example", "rebound.example"},
	})
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
	mark := proxy.LogMark()
	if status, body := get("other.example"); status != 403 || !strings.Contains(body, "not among the allowed hosts") {
		t.Errorf("%d %q", status, body)
	}
	// An allowed name that resolves to an address that is not public is refused when it is dialed.
	if status, body := get("rebound.example"); status == 200 || !strings.Contains(body, "open internet") {
		t.Errorf("%d %q", status, body)
	}
	if refused := proxy.RefusedSince(mark); len(refused) == 0 ||
		!strings.HasPrefix(refused[0], "GET other.example:"+port(page)) {
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

// TestPass_WhileValid_OpensItsHosts: only a request with the pass reaches the pass's hosts.
func TestPass_WhileValid_OpensItsHosts(t *testing.T) {
	page, proxy, client := world(t, egress.Rules{Risk: policy.WriteLocal, Deny: []string{"denied.example"}})
	pass, end := proxy.AddPass([]string{"docs.example", "denied.example"})
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
	}{
		{"docs.example", pass, 200},
		{"docs.example", "check:", 403},
		{"docs.example", "check:guessed", 403},
		{"other.example", pass, 403},
		{"denied.example", pass, 403},
	} {
		if got := get(c.host, c.pass); got != c.want {
			t.Errorf("%s with %q answered %d, want %d", c.host, c.pass, got, c.want)
		}
	}
	end()
	if got := get("docs.example", pass); got != 403 {
		t.Errorf("a pass that is over opens the host: %d", got)
	}
}

// TestDial_CheckOnTheHost_ReachesItsHosts: a check that runs on the host reaches its own hosts and those of the goal,
// but no others. The log has all requests.
func TestDial_CheckOnTheHost_ReachesItsHosts(t *testing.T) {
	page, proxy, _ := world(t, egress.Rules{
		Risk:  policy.NetworkGet,
		Allow: []string{"docs.example"},
		Deny:  []string{"denied.example"},
	})
	for _, c := range []struct {
		host, want string
	}{
		{"docs.example", ""},
		{"named.example", ""},
		{"Named.example.", ""},
		{"other.example", "not among the allowed hosts"},
		{"denied.example", "is denied"},
	} {
		conn, err := proxy.Dial(t.Context(), net.JoinHostPort(c.host, port(page)),
			[]string{"named.example", "denied.example"})
		if err == nil {
			_ = conn.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.host, err, c.want)
		}
	}
	if list := proxy.Entries(); len(list) != 5 || list[3].Allowed || !list[1].Allowed {
		t.Errorf("the log holds %+v", list)
	}
	strict := egress.New(egress.Config{Rules: egress.Rules{Risk: policy.WriteLocal}})
	if _, err := strict.Dial(t.Context(), "10.11.12.13:80", []string{"10.11.12.13"}); err == nil ||
		!strings.Contains(err.Error(), "not an address of the open internet") {
		t.Errorf("a private address: %v", err)
	}
	if err := strict.Close(); err != nil {
		t.Error(err)
	}
}

// TestForward_PortOfTheMachine_IsReached: the goal reaches a port of the machine on its own loopback.
func TestForward_PortOfTheMachine_IsReached(t *testing.T) {
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
		_, _ = io.WriteString(c, "got "+line)
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
	if b, err := io.ReadAll(c); err != nil || string(b) != "got hello\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	if list := proxy.Entries(); len(list) == 0 || list[0].Method != "FORWARD" || list[0].More {
		t.Errorf("the log says %+v", list)
	}
}

// TestBytes_AreReportedWhileTheyFlow: the bytes of a tunnel and of an answer are reported before these end, and each
// byte is reported once.
func TestBytes_AreReportedWhileTheyFlow(t *testing.T) {
	news := make(chan egress.Entry, 1000)
	local := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	proxy := egress.New(egress.Config{
		Rules: egress.Rules{Risk: policy.NetworkWrite}, Resolver: local, Public: func(netip.Addr) error { return nil },
		CountEvery: time.Millisecond, OnEntry: func(e egress.Entry) { news <- e },
	})
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	ends := make(chan struct{})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 5000))
		_ = http.NewResponseController(w).Flush()
		<-ends
	}))
	t.Cleanup(page.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy.Serve(l, egress.SourceProgram)
	// reported adds up the reported bytes of one host until they reach the expected numbers, and returns the number of
	// requests.
	reported := func(host string, in, out int64) (requests int) {
		t.Helper()
		late := time.After(waittest.Scale(time.Minute))
		var gotIn, gotOut int64
		for gotIn < in || gotOut < out || requests == 0 {
			select {
			case e := <-news:
				if e.Host != host {
					t.Fatalf("%+v", e)
				}
				if !e.More {
					requests++
				}
				gotIn, gotOut = gotIn+e.In, gotOut+e.Out
			case <-late:
				t.Fatalf("%d and %d bytes were told of, want %d and %d", gotIn, gotOut, in, out)
			}
		}
		if gotIn != in || gotOut != out {
			t.Errorf("%d and %d bytes were told of, want %d and %d", gotIn, gotOut, in, out)
		}
		return requests
	}
	ask := func(line string) *bufio.Reader {
		t.Helper()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, line)
		return bufio.NewReader(c)
	}
	answer := func(r *bufio.Reader) {
		t.Helper()
		res, err := http.ReadResponse(r, nil) //nolint:bodyclose // the response to CONNECT has no body
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
	}
	const through = "GET / HTTP/1.0\r\n\r\n"
	tunnel := ask("CONNECT tunnel.example:" + port(page) + " HTTP/1.1\r\nHost: x\r\n\r\n" + through)
	answer(tunnel)
	first, err := tunnel.Peek(1)
	if err != nil || first[0] != 'H' {
		t.Fatal(first, err)
	}
	// The server decides how long the head is. All bytes that passed the tunnel are reported.
	head := 0
	for line := ""; line != "\r\n"; head += len(line) {
		if line, err = tunnel.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if n := reported("tunnel.example", int64(head+5000), int64(len(through))); n != 1 {
		t.Errorf("a tunnel is reported as %d requests", n)
	}
	answer(ask("GET http://plain.example:" + port(page) + "/ HTTP/1.1\r\nHost: plain.example\r\n\r\n"))
	if n := reported("plain.example", 5000, 0); n != 1 {
		t.Errorf("an answer is reported as %d requests", n)
	}
	close(ends)
}

// TestSetRules_HostRevoked_ClosesItsConnections: a tunnel and a long answer of the host end. Connections to other
// hosts continue.
func TestSetRules_HostRevoked_ClosesItsConnections(t *testing.T) {
	open := func(hosts ...string) egress.Rules {
		r := egress.Rules{Risk: policy.WriteLocal}
		for _, h := range hosts {
			r.Given = append(r.Given, egress.HostGrant{Host: h, Risk: policy.NetworkGet})
		}
		return r
	}
	_, proxy, client := world(t, open("docs.example", "named.example"))
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	at, err := client.Transport.(*http.Transport).Proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: "docs.example"}})
	if err != nil {
		t.Fatal(err)
	}
	tunnel := func(host string) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = fmt.Fprintf(c, "CONNECT %s:%s HTTP/1.1\r\nHost: x\r\n\r\n", host,
			port(&httptest.Server{URL: "http://" + echo.Addr().String()}))
		r := bufio.NewReader(c)
		res, err := http.ReadResponse(r, nil) //nolint:bodyclose // the response to CONNECT has no body
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		return c, r
	}
	_, ends := tunnel("docs.example")
	stays, answers := tunnel("named.example")
	res, err := client.Get("http://docs.example:" + port(slow) + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	proxy.SetRules(open("named.example"))
	if b, err := io.ReadAll(ends); len(b) > 0 {
		t.Errorf("%q, %v came out of a tunnel to a host that was taken back", b, err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("an answer that was cut off looks whole")
	}
	_, _ = fmt.Fprintln(stays, "still")
	if line, err := answers.ReadString('\n'); err != nil || line != "still\n" {
		t.Errorf("%q, %v", line, err)
	}
}

// TestClose_OpenConnections_AreInTheLog: when Close returns, the log has the connections that were open.
func TestClose_OpenConnections_AreInTheLog(t *testing.T) {
	_, proxy, client := world(t, egress.Rules{Risk: policy.NetworkGet, Allow: []string{"docs.example"}})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	var bodies []io.ReadCloser
	for range 20 {
		res, err := client.Get("http://docs.example:" + port(slow) + "/") //nolint:bodyclose // all are closed below
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, res.Body)
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	reported := 0
	for _, e := range proxy.Entries() {
		if !e.More {
			reported++
		}
	}
	if reported != len(bodies) {
		t.Errorf("%d of %d requests are in the log", reported, len(bodies))
	}
	for _, b := range bodies {
		_ = b.Close()
	}
}

// BenchmarkRequest loads the same page with and without the proxy, to measure the time that the proxy adds.
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

// TestTransport_RequestsOfTheHost_FollowTheRulesOfPrograms checks requests that are allowed, refused, to a private
// address, and over https.
func TestTransport_RequestsOfTheHost_FollowTheRulesOfPrograms(t *testing.T) {
	page, proxy, _ := world(t, egress.Rules{
		Risk:  policy.NetworkGet,
		Allow: []string{"docs.example", "rebound.example"},
	})
	client := &http.Client{Transport: proxy.Transport()}
	get := func(address string) (string, error) {
		r, err := client.Get(address)
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Body.Close() }()
		b, err := io.ReadAll(r.Body)
		return fmt.Sprintf("%d %s", r.StatusCode, b), err
	}
	for address, want := range map[string]string{
		"http://docs.example:" + port(page):    "200 GET docs.example",
		"http://other.example:" + port(page):   "403 Goalpost refused GET other.example",
		"http://rebound.example:" + port(page): "is not an address of the open internet",
		"http://127.0.0.1:" + port(page):       "this goal has no loopback of its own",
	} {
		if got, err := get(address); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s answers %q, error %v", address, got, err)
		}
	}
	if _, err := get("https://other.example/"); err == nil ||
		!strings.Contains(err.Error(), "Goalpost refused CONNECT other.example:443: other.example is not among the allowed") {
		t.Errorf("over https: %v", err)
	}
	if e := proxy.Entries()[0]; e.From != egress.SourceProgram || e.Host == "" {
		t.Errorf("the log says %+v", e)
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	if _, err := get("http://docs.example:" + port(page)); err == nil {
		t.Error("a closed proxy answers")
	}
}

// TestTransport_TunnelThatTheServerEnds_EndsAtOnce: the end of a connection crosses the proxy.
func TestTransport_TunnelThatTheServerEnds_EndsAtOnce(t *testing.T) {
	page := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\nuntil the end")
		_ = conn.Close()
	}))
	t.Cleanup(page.Close)
	proxy := egress.New(egress.Config{
		Rules: egress.Rules{Risk: policy.NetworkGet, Allow: []string{"example.com"}},
		Resolver: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Public: func(netip.Addr) error { return nil },
	})
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	transport := proxy.Transport()
	transport.TLSClientConfig = page.Client().Transport.(*http.Transport).TLSClientConfig
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(10*time.Second))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://example.com:"+port(page)+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if b, err := io.ReadAll(answer.Body); err != nil || string(b) != "until the end" {
		t.Errorf("%q, %v", b, err)
	}
}
