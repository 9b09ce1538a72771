package serve_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"goalpost/backend/entry/serve"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
)

// overTLS lets all tests run through an own certificate: the client trusts nothing but its authority.
const overTLS = "GOALPOST_TEST_TLS"

var authority *serve.Authority // nil without TLS

// TestMain ignores connections that net/http leaves open for half a second after their last answer.
func TestMain(m *testing.M) {
	if folder := os.Getenv(overTLS); folder != "" {
		a, err := serve.OpenAuthority(folder, nil, time.Now)
		if err != nil {
			panic(err)
		}
		authority = a
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// clock shows the same time until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

type addInput struct {
	A int `json:"a"`
	B int `json:"b"`
}

// CalcAPI is a struct whose methods the page can call.
type CalcAPI struct {
	gate    chan struct{}
	entered chan struct{}
}

func (c *CalcAPI) Add(in addInput) (int, error) { return in.A + in.B, nil }
func (c *CalcAPI) Join(ctx context.Context, parts []string, sep string) string {
	if ctx == nil {
		panic("no context")
	}
	return strings.Join(parts, sep)
}

func (c *CalcAPI) Refuse() (bool, error) {
	return false, fmt.Errorf("starting: %w", &fault.Error{
		Message: "the goal has no check", Hint: "add one", Field: "criterion",
	})
}
func (c *CalcAPI) Fail() error         { return errors.New("the disk is full") }
func (c *CalcAPI) Break() (int, error) { panic("boom") }
func (c *CalcAPI) Nothing()            {}
func (c *CalcAPI) Infinite() float64   { var z float64; return 1 / z }
func (c *CalcAPI) Wait(ctx context.Context) (string, error) {
	c.entered <- struct{}{}
	select {
	case <-c.gate:
		return "waited", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
func (c *CalcAPI) hidden() {}

type site struct {
	*serve.Server
	calc  *CalcAPI
	clock *clock
	base  string
}

func open(t *testing.T, change func(*serve.Options)) *site {
	t.Helper()
	calc := &CalcAPI{gate: make(chan struct{}), entered: make(chan struct{}, 200)}
	calc.hidden()
	methods, err := serve.NewRegistry(calc)
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	o := serve.Options{
		Methods: methods, Now: c.Now, Log: slog.New(slog.DiscardHandler),
		Assets: fstest.MapFS{
			"index.html":       {Data: []byte("<!doctype html><title>the app</title>")},
			"assets/app-1a.js": {Data: []byte("console.log(1)")},
		},
		Stream: func(auth func(*http.Request) bool) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !auth(r) {
					http.Error(w, "forbidden", http.StatusForbidden)
					return
				}
				_, _ = io.WriteString(w, "stream "+r.URL.Path)
			})
		},
	}
	if authority != nil {
		o.TLS, o.Authority = authority.TLS(), authority.PEM()
	}
	if change != nil {
		change(&o)
	}
	s, err := serve.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(time.Minute))
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &site{s, calc, c, strings.TrimSuffix(s.URL(), "/")}
}

// user is a browser with cookies that does not follow redirects automatically.
func user(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	if authority != nil {
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(authority.PEM())
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Jar:           jar,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func ask(t *testing.T, c *http.Client, method, address string, form url.Values, change func(*http.Request)) answer {
	t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	}
	if change != nil {
		change(r)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(b)}
}

func (s *site) logIn(t *testing.T, c *http.Client) {
	t.Helper()
	if a := ask(t, c, http.MethodGet, s.LoginURL(), nil, nil); a.status != http.StatusSeeOther ||
		a.header.Get("Location") != "/" {
		t.Fatalf("logging in: %+v", a)
	}
}

func TestLogin_ByLink_StartsASession(t *testing.T) {
	s, c := open(t, nil), user(t)
	if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); a.status != 200 ||
		!strings.Contains(a.body, "Enter the token") || strings.Contains(a.body, "the app") {
		t.Fatalf("before: %+v", a)
	}
	a := ask(t, c, http.MethodGet, s.LoginURL(), nil, nil)
	cookie := a.header.Get("Set-Cookie")
	for _, flag := range []string{"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="} {
		if !strings.Contains(cookie, flag) {
			t.Errorf("cookie %q lacks %s", cookie, flag)
		}
	}
	if strings.Contains(cookie, s.Token()) || a.status != http.StatusSeeOther || a.header.Get("Location") != "/" {
		t.Errorf("answer %+v", a)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "the app") {
		t.Errorf("after: %+v", a)
	}
	if a := ask(t, user(t), http.MethodGet, s.base+"/assets/app-1a.js", nil, nil); a.status != http.StatusUnauthorized {
		t.Errorf("assets without a session: %d", a.status)
	}
	s.clock.pass(31 * 24 * time.Hour)
	if a := ask(t, c, http.MethodGet, s.base+"/", nil, nil); !strings.Contains(a.body, "Enter the token") {
		t.Errorf("a session of last month: %s", a.body)
	}
}

// TestLogin_LinkToAGoal_OpensTheGoal also checks that no link leads to another site.
func TestLogin_LinkToAGoal_OpensTheGoal(t *testing.T) {
	s := open(t, func(o *serve.Options) { o.Token = "a long pass phrase" })
	const link = "goal=01AB&tab=changes"
	c := user(t)
	if a := ask(t, c, http.MethodGet, s.base+"/?"+link, nil, nil); !strings.Contains(a.body,
		`action="/login?goal=01AB&amp;tab=changes"`) {
		t.Errorf("the form: %s", a.body)
	}
	if a := ask(t, c, http.MethodGet, s.base+`/?goal="><script>`, nil, nil); strings.Contains(a.body, "<script>") {
		t.Errorf("the form of a hostile link: %s", a.body)
	}
	wrong := ask(t, c, http.MethodPost, s.base+"/login?"+link, url.Values{"token": {"wrong"}}, nil)
	if wrong.status != http.StatusUnauthorized || !strings.Contains(wrong.body, "tab=changes") {
		t.Errorf("after a wrong token: %+v", wrong)
	}
	for _, login := range []func() answer{
		func() answer {
			return ask(t, c, http.MethodPost, s.base+"/login?"+link, url.Values{"token": {"a long pass phrase"}}, nil)
		},
		func() answer {
			return ask(t, user(t), http.MethodGet, s.base+"/?token=a+long+pass+phrase&"+link, nil, nil)
		},
	} {
		if a := login(); a.status != http.StatusSeeOther || a.header.Get("Location") != "/?"+link {
			t.Errorf("%d to %s", a.status, a.header.Get("Location"))
		}
	}
}

func TestLogin_ByForm_NeedsTheToken(t *testing.T) {
	s, c := open(t, func(o *serve.Options) { o.Token = "a long pass phrase" }), user(t)
	if a := ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {"<b>wrong"}},
		nil); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "Wrong token") ||
		strings.Contains(a.body, "<b>wrong") {
		t.Errorf("wrong: %+v", a)
	}
	foreign := func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }
	if a := ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {"a long pass phrase"}},
		foreign); a.status != http.StatusForbidden {
		t.Errorf("a foreign form: %d", a.status)
	}
	if a := ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {strings.Repeat("x", 9000)}},
		nil); a.status != http.StatusBadRequest {
		t.Errorf("a big form: %d", a.status)
	}
	if a := ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {"a long pass phrase"}},
		nil); a.status != http.StatusSeeOther {
		t.Errorf("right: %+v", a)
	}
	if a := ask(t, c, http.MethodPost, s.base+"/", url.Values{}, nil); a.status != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %d", a.status)
	}
}

func TestFiles_Served_HaveSecurityHeaders(t *testing.T) {
	s, c := open(t, nil), user(t)
	s.logIn(t, c)
	a := ask(t, c, http.MethodGet, s.base+"/", nil, nil)
	csp := a.header.Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "script-src 'self';", "style-src 'self' 'unsafe-inline'",
		"connect-src 'self'", "img-src 'self' data: blob:", "frame-ancestors 'none'",
	} {
		if !strings.Contains(csp, part) {
			t.Errorf("the policy %q lacks %s", csp, part)
		}
	}
	if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Cache-Control") != "no-store" ||
		a.header.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("headers %v", a.header)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/assets/app-1a.js", nil, nil); a.status != 200 ||
		!strings.Contains(a.header.Get("Cache-Control"), "immutable") ||
		!strings.Contains(a.header.Get("Content-Type"), "javascript") {
		t.Errorf("script %+v", a)
	}
	for _, path := range []string{
		"/nothing.js", "/assets/", "/assets", "/../serve.go", "/%2e%2e/%2e%2e/etc/passwd",
		"/index.html/x",
	} {
		if a := ask(t, c, http.MethodGet, s.base+path, nil, nil); a.status != http.StatusNotFound && a.status/100 != 3 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := ask(t, user(t), http.MethodGet, s.base+"/favicon.ico", nil, nil); a.status != http.StatusNoContent {
		t.Errorf("icon: %d", a.status)
	}
	empty := open(t, func(o *serve.Options) { o.Assets = fstest.MapFS{".gitkeep": {}} })
	empty.logIn(t, c)
	if a := ask(t, c, http.MethodGet, empty.base+"/", nil, nil); a.status != http.StatusServiceUnavailable ||
		!strings.Contains(a.body, "make build") {
		t.Errorf("without a frontend: %+v", a)
	}
}

func TestHostHeader_Foreign_IsRefused(t *testing.T) {
	s, c := open(t, func(o *serve.Options) { o.Hosts = []string{"box.example"} }), user(t)
	s.logIn(t, c)
	port := s.Port()
	for host, want := range map[string]int{
		"evil.example:" + port: 403, "evil.example": 403, "127.0.0.1": 403, "127.0.0.1:1": 403, "8.8.8.8:" + port: 403,
		"localhost:" + port: 200, "[::1]:" + port: 200, "box.example": 200, "BOX.example:8443": 200,
	} {
		if a := ask(t, c, http.MethodGet, s.base+"/", nil, func(r *http.Request) { r.Host = host }); a.status != want {
			t.Errorf("host %s: %d, want %d", host, a.status, want)
		}
	}
}

func TestSockets_WithoutSessionOrOrigin_AreRefused(t *testing.T) {
	s, c := open(t, nil), user(t)
	dial := func(path string, header http.Header) int {
		//nolint:bodyclose // Dial closes it
		ws, resp, err := websocket.Dial(t.Context(), s.base+path, &websocket.DialOptions{
			HTTPClient: c, HTTPHeader: header,
		})
		if err == nil {
			_ = ws.CloseNow()
			return http.StatusSwitchingProtocols
		}
		if resp == nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	own := http.Header{"Origin": {s.base}}
	for _, path := range []string{"/v1/rpc", "/v1/events", "/v1/terminal/t1"} {
		if got := dial(path, own); got != http.StatusForbidden {
			t.Errorf("%s without a session: %d", path, got)
		}
	}
	s.logIn(t, c)
	for _, origin := range []http.Header{
		{},
		{"Origin": {"https://evil.example"}},
		{"Origin": {"null"}},
		{"Origin": {s.base, "https://evil.example"}},
		{"Origin": {s.base + ".evil.example"}},
	} {
		for _, path := range []string{"/v1/rpc", "/v1/events"} {
			if got := dial(path, origin); got != http.StatusForbidden {
				t.Errorf("%s from %v: %d", path, origin, got)
			}
		}
	}
	if got := dial("/v1/rpc", own); got != http.StatusSwitchingProtocols {
		t.Errorf("with both: %d", got)
	}
	if a := ask(t, c, http.MethodGet, s.base+"/v1/events", nil, func(r *http.Request) {
		r.Header.Set("Origin", s.base)
	}); a.body != "stream /v1/events" {
		t.Errorf("the stream's handler was not reached: %+v", a)
	}
}

// TestLogin_RequestsOfForeignPages_DoNotCount: pictures and frames of a foreign page do not count as failed attempts.
// A link that the user follows from such a page logs in.
func TestLogin_RequestsOfForeignPages_DoNotCount(t *testing.T) {
	s, c := open(t, nil), user(t)
	from := func(site, dest string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site); r.Header.Set("Sec-Fetch-Dest", dest) }
	}
	for range 10 {
		for _, dest := range []string{"image", "iframe", "script", "empty", ""} {
			if a := ask(t, c, http.MethodGet, s.base+"/?token=wrong", nil,
				from("cross-site", dest)); a.status != http.StatusForbidden {
				t.Fatalf("%s: %d", dest, a.status)
			}
		}
	}
	for _, site := range []string{"cross-site", "same-site", "none"} {
		if a := ask(t, user(t), http.MethodGet, s.LoginURL(), nil,
			from(site, "document")); a.status != http.StatusSeeOther {
			t.Errorf("a link from %s: %d", site, a.status)
		}
	}
}

func TestLockout_FiveWrongTokens_DelayTheNext(t *testing.T) {
	s, c := open(t, nil), user(t)
	try := func(token string) answer {
		return ask(t, c, http.MethodPost, s.base+"/login", url.Values{"token": {token}}, nil)
	}
	for i := range 5 {
		if a := try("wrong"); a.status != http.StatusUnauthorized {
			t.Fatalf("try %d: %d", i, a.status)
		}
	}
	a := try(s.Token())
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "30" || !strings.Contains(a.body, "30 s") {
		t.Fatalf("locked: %d %v", a.status, a.header)
	}
	if a := ask(t, c, http.MethodGet, s.LoginURL(), nil, nil); a.status != http.StatusTooManyRequests {
		t.Errorf("the link goes around the lock: %d", a.status)
	}
	s.clock.pass(31 * time.Second)
	if a := try("wrong"); a.status != http.StatusUnauthorized {
		t.Errorf("after the lock: %d", a.status)
	}
	if a := try("wrong"); a.header.Get("Retry-After") != "60" {
		t.Errorf("the second lock is not longer: %v", a.header)
	}
	s.clock.pass(61 * time.Second)
	if a := try(s.Token()); a.status != http.StatusSeeOther {
		t.Errorf("the right token: %d", a.status)
	}
	for range 4 {
		try("wrong")
	}
	if a := try(s.Token()); a.status != http.StatusSeeOther {
		t.Errorf("a right token does not begin again: %d", a.status)
	}
}

func TestOpen_RemoteAddress_NeedsAllowRemote(t *testing.T) {
	methods, err := serve.NewRegistry(&CalcAPI{})
	if err != nil {
		t.Fatal(err)
	}
	o := serve.Options{Methods: methods, Assets: fstest.MapFS{}}
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.168.1.1:80", "some.host:80"} {
		o.Listen = listen
		if _, err := serve.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--allow-remote") {
			t.Errorf("%s: %v", listen, err)
		}
	}
	for _, listen := range []string{"8080", "127.0.0.1", "127.0.0.1:notaport"} {
		o.Listen = listen
		if _, err := serve.Open(t.Context(), o); err == nil {
			t.Errorf("%s was accepted", listen)
		}
	}
	o.Listen, o.Token = "", "short"
	if _, err := serve.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "12 characters") {
		t.Errorf("a short token: %v", err)
	}
	s := open(t, func(o *serve.Options) { o.Listen, o.AllowRemote = "0.0.0.0:0", true })
	if !strings.Contains(s.URL(), "://127.0.0.1:") {
		t.Errorf("url %s", s.URL())
	}
	if s := open(t, nil); len(s.Token()) != 64 {
		t.Errorf("the token is %d long", len(s.Token()))
	}
}
