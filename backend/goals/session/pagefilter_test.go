package session

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/network"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/browser"
	"goalpost/backend/storage/secret"
)

// sending is a page that tries every way in which a page can send data. Each attempt requests its own path below /to/
// and ends, whether it succeeds or not. A failed WebSocket is repeated: in a new document without any request in
// NetLog, Chromium 156 fails about one in 300.
const sending = `<!doctype html><title>trying</title><script>
const soon = (p) => Promise.race([p, new Promise((r) => setTimeout(r, 2500))]).catch(() => {});
const post = (n, o) => fetch("/to/" + n, Object.assign({ method: "POST", body: "x" }, o));
const socket = (url) => new Promise((r) => { (function attempt(left) {
  const w = new WebSocket(url); w.onopen = r; w.onerror = () => left ? attempt(left - 1) : r();
})(4); });
const frame = (alter) => new Promise((r) => {
  const f = document.createElement("iframe"); alter(f); f.onload = () => r(f); document.body.append(f);
});
const said = (port) => new Promise((r) => { port.onmessage = r; });
const inside = (n) =>
  "Promise.all([fetch('" + location.origin + "/to/" + n + "'," +
  " {method: 'POST', mode: 'no-cors', body: 'x'}).catch(() => {})," +
  " new Promise((r) => { (function attempt(left) {" +
  " const w = new WebSocket('wss://" + location.host + "/to/" + n + "-socket');" +
  " w.onopen = r; w.onerror = () => left ? attempt(left - 1) : r(); })(4); })])";
const blob = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
async function all() {
  await soon(fetch("/to/get"));
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) await soon(post("fetch-" + method, { method }));
  await soon(post("keepalive", { keepalive: true }));
  await soon(post("crossorigin/", { mode: "no-cors" }));
  await soon(fetch("/to/redirected?to=/to/redirect-post", { method: "POST" }));
  try { const x = new XMLHttpRequest(); x.open("POST", "/to/sync", false); x.send("x"); } catch {}
  try {
    const x = new XMLHttpRequest();
    x.open("POST", location.origin.replace("//", "//user:word@") + "/to/user"); x.send("x");
  } catch {}
  navigator.sendBeacon("/to/beacon", "x");
  await soon(socket("wss://" + location.host + "/to/socket"));
  await soon(frame((f) => {
    f.srcdoc = "<script>" + inside("srcdoc") + ".then(() => parent.postMessage(1, '*'))<\/script>";
  }).then(() => said(window)));
  await soon(frame((f) => {}).then((f) => f.contentWindow.fetch("/to/blank", { method: "POST" })));
  await soon(frame((f) => {
    f.sandbox = "allow-scripts";
    f.src = "data:text/html,<script>" + inside("dataframe") + ".then(() => parent.postMessage(1, '*'))<\/script>";
  }).then(() => said(window)));
  await soon(frame((f) => {
    f.src = location.origin.replace("shop.test", "other.test") + "/frame?other";
  }).then(() => said(window)));
  await soon(new Promise((r) => {
    const f = document.createElement("form"); f.method = "POST"; f.action = "/to/form";
    frame((i) => { i.name = f.target = "there"; }).then((i) => {
      i.onload = r; document.body.append(f); f.submit();
    });
  }));
  await soon(frame((f) => { f.src = "/report"; }));
  await soon(frame((f) => { f.src = "/reporting"; }));
  const a = document.createElement("a"); a.href = "#x"; a.ping = "/to/ping"; document.body.append(a); a.click();
  await soon(said(new Worker(blob(inside("worker") + ".then(() => postMessage(1))"))));
  await soon(said(new Worker("/worker.js?scriptworker")));
  await soon(said(new Worker(blob(
    "new Worker('" + location.origin + "/worker.js?nested').onmessage = () => postMessage(1)"))));
  await soon(said(new SharedWorker("/worker.js?shared").port));
  await soon(navigator.serviceWorker.register("/worker.js?service").then(() => said(navigator.serviceWorker)));
  try { fetchLater("/to/later", { method: "POST", body: "x", activateAfter: 0 }); } catch {}
  const rtc = new RTCPeerConnection({
    iceTransportPolicy: "relay",
    iceServers: [{ urls: "turn:relay.test:RELAY?transport=tcp", username: "secret", credential: "x" }],
  });
  rtc.createDataChannel("x"); await rtc.setLocalDescription(await rtc.createOffer());
  await soon(new Promise((r) => {
    rtc.onicegatheringstatechange = () => rtc.iceGatheringState === "complete" && r();
  }));
  await soon(new Promise((r) => setTimeout(r, 300)));
  document.title = "all tried";
}
function popup() { // needs a click of the user
  const w = window.open("about:blank");
  w.fetch("/to/popup", { method: "POST" }); new w.WebSocket("wss://" + location.host + "/to/popup-socket");
}
function other() { window.open("/frame?window", "_blank", "noopener"); }
function sent() {
  const f = document.createElement("form"); f.method = "POST"; f.action = "/to/windowform"; f.target = "_blank";
  document.body.append(f); f.submit();
}
addEventListener("load", () => location.search || all());
</script><body>
<button onclick="popup()">Popup</button> <button onclick="sent()">Send</button>
<button onclick="other()">Other</button>`

// shop is a server on the internet that records what it receives.
type shop struct {
	testing.TB
	mu     sync.Mutex
	got    []string
	news   chan struct{}
	server *httptest.Server
	relay  net.Listener
	gate   chan struct{} // the answer to /to/first waits until it is closed
	// explain returns what the proxy and Chromium logged, for the message of a failure.
	explain func() string
}

func (s *shop) hear(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.got, what) {
		s.got = append(s.got, what)
		close(s.news)
		s.news = make(chan struct{})
	}
}

func (s *shop) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.got))
}

// hears waits for a request to arrive.
func (s *shop) hears(what string) {
	s.Helper()
	over := time.After(late)
	for {
		s.mu.Lock()
		there, news := slices.Contains(s.got, what), s.news
		s.mu.Unlock()
		if there {
			return
		}
		select {
		case <-news:
		case <-over:
			s.Fatalf("%s never came; what came: %v\n%s", what, s.received(), s.explain())
		}
	}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, to := strings.CutPrefix(r.URL.Path, "/to/")
	switch {
	case to && (r.Header.Get("Upgrade") != "" || r.Method == http.MethodConnect):
		s.hear(name)
		if c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
			_ = c.CloseNow()
		}
		return
	case to:
		s.hear(name)
		if name == "first" {
			<-s.gate
		}
		if next := r.URL.Query().Get("to"); next != "" {
			http.Redirect(w, r, next, http.StatusTemporaryRedirect)
		}
		return
	case r.URL.Path == "/parts": // the page includes its style, and its script fetches the rest one by one
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<link rel=stylesheet href="/to/style"><script>addEventListener("load", async () => {
			for (const n of ["first", "second"]) await fetch("/to/" + n);
			await fetch("/to/sent", {method: "POST"}).catch(() => {});
			document.title = "complete";
		})</script>`)
		return
	case r.URL.Path == "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		n := r.URL.RawQuery
		_, _ = fmt.Fprintf(w, `const done = Promise.all([
  fetch("/to/%[1]s", {method: "POST", body: "x"}).catch(() => {}),
  new Promise((r) => {
    const w = new WebSocket("wss://" + location.host + "/to/%[1]s-socket"); w.onopen = w.onerror = r;
  }),
]);
onconnect = (e) => done.then(() => e.ports[0].postMessage(1));
if (self.clients) {
  oninstall = () => skipWaiting();
  onactivate = (e) => e.waitUntil(done.then(() => clients.claim())
    .then(() => clients.matchAll()).then((l) => l.forEach((c) => c.postMessage(1))));
}
else if (self.postMessage) done.then(() => postMessage(1));`, n)
		return
	case r.URL.Path == "/report":
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "img-src 'none'; report-uri /to/cspreport")
		_, _ = fmt.Fprint(w, `<img src="/nothing">`)
		return
	case r.URL.Path == "/reporting": // Chromium sends reports itself, not the page
		to := "https://" + r.Host + "/to/"
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Reporting-Endpoints", fmt.Sprintf(`csp=%q`, to+"reportingapi"))
		w.Header().Set("Content-Security-Policy", "img-src 'none'; report-to csp")
		_, _ = fmt.Fprint(w, `<img src="/nothing">`)
		return
	case r.URL.Path == "/frame":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<script>const n = %q;
Promise.all([
  fetch("/to/" + n, {method: "POST"}).catch(() => {}),
  new Promise((r) => {
    const w = new WebSocket("wss://" + location.host + "/to/" + n + "-socket"); w.onopen = w.onerror = r;
  }),
  new Promise((r) => {
    new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/to/" + n + "-worker'," +
      " {method: 'POST', mode: 'no-cors'}).finally(() => postMessage(1))"]))).onmessage = r;
  }),
]).then(() => parent.postMessage(1, "*"))</script>`, r.URL.RawQuery)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, port, _ := net.SplitHostPort(s.relay.Addr().String())
	_, _ = fmt.Fprint(w, strings.ReplaceAll(sending, "RELAY", port))
}

func openShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{TB: t, news: make(chan struct{}), gate: make(chan struct{})}
	var err error
	if s.relay, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := s.relay.Accept()
			if err != nil {
				return
			}
			if n, _ := io.ReadFull(c, make([]byte, 1)); n > 0 {
				s.hear("relay")
			}
			_ = c.Close()
		}
	}()
	s.server = httptest.NewUnstartedServer(s)
	s.server.EnableHTTP2 = true
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.server.StartTLS()
	t.Cleanup(func() { s.server.Close(); _ = s.relay.Close(); <-done })
	return s
}

// judging is the proxy and the pages of a goal, without the rest of its session.
type judging struct {
	*shop
	browsers *browser.Manager
	session  *Session
	pane     *browser.Pane
	ctx      context.Context
	done     chan string // receives the titles of the pane
	kept     string      // the folder with the goal's network log
}

// late is how long a test waits for something that must arrive.
var late = waittest.Scale(3 * time.Minute)

// shopHost is the name of the shop.
const shopHost = "shop.test"

// judgesChromium is the Chromium of all goals in these tests, which separates them, because starting one takes longer
// than most of the tests.
var judgesChromium struct {
	*browser.Manager
	filters  network.PageFilters
	launcher *sandbox.Supervisor
	dir      string
	judges   sync.Map // by goal id: *judging
	last     atomic.Int64
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := closeJudgesChromium(); err != nil {
		fmt.Fprintln(os.Stderr, "closing Chromium:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// judgeOf returns what judges the pages of a goal.
func judgeOf(goalID string) *judging {
	if j, ok := judgesChromium.judges.Load(goalID); ok {
		return j.(*judging)
	}
	return nil
}

func openJudgesChromium(t testing.TB) {
	t.Helper()
	c := &judgesChromium
	if c.Manager != nil {
		return
	}
	path, err := browser.Find()
	if errors.Is(err, browser.ErrMissing) {
		t.Skipf("needs Chromium: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.dir, err = os.MkdirTemp("", "goalpost-judge"); err != nil {
		t.Fatal(err)
	}
	// The certificate is self-signed; Chromium is configured to accept it.
	trusting := filepath.Join(c.dir, "chromium")
	if err := os.WriteFile(trusting,
		[]byte("#!/bin/sh\nexec '"+path+"' --ignore-certificate-errors --short-reporting-delay --log-net-log='"+
			filepath.Join(c.dir, "netlog")+"' \"$@\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	helper, err := sandbox.Install(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.launcher, err = sandbox.Open(context.Background(), sandbox.Options{Helper: helper, Name: "judge"}); err != nil {
		t.Fatal(err)
	}
	c.Manager = browser.New(browser.Config{
		Launcher:      c.launcher,
		Dir:           filepath.Join(c.dir, "b"),
		Path:          trusting,
		ContextProxy:  func(goalID string) string { return judgeOf(goalID).session.sandbox.PaneProxy },
		DenyAllProxy:  "http://127.0.0.1:9",
		NeedsFilter:   c.filters.IsActive,
		FilterRequest: c.filters.Decide,
		OnRequest:     c.filters.OnRequest,
		OnPopup: func(pane.Info, string) (browser.Options, bool) {
			return browser.Options{ID: fmt.Sprintf("w%d", c.last.Add(1))}, true
		},
		OnChange: func(i pane.Info, _ bool) {
			if j := judgeOf(i.GoalID); j != nil {
				select {
				case j.done <- i.Title:
				default:
				}
			}
		},
	}.WithTestLimits(waittest.Slowness()))
}

func closeJudgesChromium() error {
	c := &judgesChromium
	if c.Manager == nil {
		return nil
	}
	ctx := context.Background()
	return errors.Join(c.Close(ctx), c.launcher.Close(ctx), os.RemoveAll(c.dir))
}

func judgePages(t testing.TB, rules egress.Rules) *judging {
	t.Helper()
	openJudgesChromium(t)
	id := fmt.Sprintf("g%d", judgesChromium.last.Add(1))
	j := &judging{shop: openShop(t), browsers: judgesChromium.Manager, done: make(chan string, 100)}
	j.kept = filepath.Join(t.TempDir(), "log")
	life, end := context.WithCancel(context.Background())
	j.ctx = goal.WithRun(life, goal.Run{Goal: goal.ID(id)})
	held := &goalsandbox.Sandbox{Journaled: map[string]bool{}}
	held.SetNetworkLog(
		network.NewLog(goal.ID(id), j.kept, func(event.Event) {}, &secret.Mask{}, slog.New(slog.DiscardHandler)))
	proxy := egress.New(egress.Config{
		Rules: rules, OnEntry: held.OnRequest, Public: func(netip.Addr) error { return nil },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Resolver: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	held.Proxy = proxy
	held.Filtering.Store(rules.NeedsRequestFilter())
	held.RemovePageFilter = judgesChromium.filters.Add(id, held)
	var err error
	if held.PaneProxy, _, err = proxy.ListenPanes(j.ctx); err != nil {
		t.Fatal(err)
	}
	j.session = &Session{goal: goal.ID(id), sandbox: held}
	judgesChromium.judges.Store(id, j)
	t.Cleanup(func() {
		err := errors.Join(j.browsers.CloseGoal(context.Background(), id), proxy.Close(), held.NetworkLog().Close())
		if err != nil {
			t.Error(err)
		}
		held.RemovePageFilter()
		end()
	})
	j.pane, err = j.browsers.Open(j.ctx, browser.Options{ID: "of " + id, GoalID: id, Width: 800, Height: 600})
	if err != nil {
		t.Fatal(err)
	}
	j.explain = func() string {
		now, _ := network.LogPaths(j.kept)
		requests, _ := os.ReadFile(now)
		netlog, _ := os.ReadFile(filepath.Join(judgesChromium.dir, "netlog")) // one event a line
		var events []string
		for event := range strings.Lines(string(netlog)) {
			if strings.Contains(event, "net_error") || strings.Contains(event, "-socket") {
				events = append(events, event)
			}
		}
		return fmt.Sprintf("the network log:\n%s\nChromium's failures and WebSockets:\n%s",
			requests, strings.Join(events[max(0, len(events)-200):], ""))
	}
	return j
}

// records reports whether the log contains a request.
func (j *judging) records(method, host string, allowed bool) bool {
	now, _ := network.LogPaths(j.kept)
	b, err := os.ReadFile(now)
	if err != nil {
		j.Fatal(err)
	}
	line := fmt.Sprintf(`"from":"pane","method":%q,"host":%q,"port":`, method, host)
	return slices.ContainsFunc(strings.Split(string(b), "\n"), func(l string) bool {
		return strings.Contains(l, line) && strings.Contains(l, fmt.Sprintf(`"allowed":%t`, allowed))
	})
}

func (j *judging) address(query string) string {
	u, err := url.Parse(j.server.URL)
	if err != nil {
		j.Fatal(err)
	}
	return "https://" + shopHost + ":" + u.Port() + "/" + query
}

// try opens the page and waits until it has made all attempts that need no click.
func (j *judging) try() {
	j.Helper()
	if err := j.pane.Navigation.Navigate(j.ctx, j.address("")); err != nil {
		j.Fatal(err)
	}
	over := time.After(late)
	for j.pane.State.Info().Title != "all tried" {
		select {
		case <-j.done:
		case <-over:
			j.Fatalf("the page never ended: %+v", j.pane.State.Info())
		}
	}
}

// roads are the attempts that the page makes without a click. Reports are not among them: Chromium sends them itself
// without any filter, and is configured to send none if that is possible.
var roads = []string{
	"fetch-POST", "fetch-PUT", "fetch-PATCH", "fetch-DELETE", "keepalive", "crossorigin/", "redirected", "redirect-post",
	"sync", "user", "beacon", "socket",
	"srcdoc", "srcdoc-socket", "blank", "dataframe", "dataframe-socket", "other", "other-socket", "other-worker", "form",
	"cspreport", "ping", "worker", "worker-socket",
	"scriptworker", "scriptworker-socket", "nested", "nested-socket", "shared", "shared-socket", "service",
	"service-socket", "later", "relay",
}

// TestPageFilter_ReadOnlyHost_GetsNoData: all attempts to send succeed if the goal may send to the host. None succeeds
// if it may only read, whether from the start or since an approval.
func TestPageFilter_ReadOnlyHost_GetsNoData(t *testing.T) {
	t.Run("where it may send", func(t *testing.T) {
		j := judgePages(t, egress.Rules{Risk: policy.NetworkWrite})
		j.try()
		for _, road := range roads {
			j.hears(road) // a slow machine may take longer than the page waits
		}
		j.windows()
		for _, road := range []string{"popup", "popup-socket", "windowform", "window", "window-socket"} {
			j.hears(road)
		}
		if !j.records("POST", shopHost, true) || !j.records(egress.WebSocket, shopHost, true) {
			t.Error("what was sent does not stand in the log")
		}
	})
	read := egress.Rules{Risk: policy.NetworkGet, Allow: []string{"*.test"}}
	t.Run("where it may read", func(t *testing.T) { judgePages(t, read).holds() })
	t.Run("where an approval lets it read", func(t *testing.T) {
		j := judgePages(t, egress.Rules{Risk: policy.WriteLocal})
		if err := j.pane.Navigation.Navigate(j.ctx, j.address("")); err == nil {
			t.Fatal("a host is open that nobody opened")
		}
		var given []egress.HostGrant
		for _, host := range []string{shopHost, "other.test", "relay.test"} {
			given = append(given, egress.HostGrant{Host: host, Risk: policy.NetworkGet})
		}
		j.session.applyEgressRules(egress.Rules{Risk: policy.WriteLocal, Given: given})
		j.holds()
	})
}

// holds makes all attempts and checks that only reading succeeds.
func (j *judging) holds() {
	j.Helper()
	j.try()
	j.windows()
	// the server gets requests in their order, so this one arrives last
	if err := j.pane.Navigation.Navigate(j.ctx, j.address("to/last")); err != nil {
		j.Fatal(err)
	}
	j.hears("last")
	got := j.received()
	j.Logf("%d attempts of a page to send, %d escaped", len(roads)+6, len(got)-2)
	if want := []string{"get", "last"}; !slices.Equal(got, want) {
		j.Errorf("%v arrived, want %v", got, want)
	}
	if !j.records("GET", shopHost, true) || !j.records("POST", shopHost, false) ||
		!j.records(egress.WebSocket, shopHost, false) ||
		!j.records("POST", "other.test", false) {
		j.Error("what was read and what was refused do not stand in the log")
	}
}

// windows makes the attempts that need a click.
func (j *judging) windows() {
	j.Helper()
	for _, button := range []string{"Popup", "Send", "Other"} {
		if _, err := j.pane.Mouse.Click(j.ctx, button); err != nil {
			j.Fatal(err)
		}
	}
}

// BenchmarkJudged measures a page's requests over https, one after the other, with and without the filter.
func BenchmarkJudged(b *testing.B) {
	for name, rules := range map[string]egress.Rules{
		"no":  {Risk: policy.NetworkWrite},
		"yes": {Risk: policy.NetworkGet, Allow: []string{"*.test"}},
	} {
		b.Run(name, func(b *testing.B) {
			j := judgePages(b, rules)
			if err := j.pane.Navigation.Navigate(j.ctx, j.address("?still")); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			_, err := j.pane.Actions.Eval(j.ctx,
				fmt.Sprintf(`(async () => { for (let i = 0; i < %d; i++) await (await fetch("/to/get")).text(); })()`, b.N))
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// TestPageFilter_Refusal_IsShownAndReported: the pane shows a notice, the page does not change, and the agent gets the
// reason.
func TestPageFilter_Refusal_IsShownAndReported(t *testing.T) {
	j := judgePages(t, egress.Rules{Risk: policy.NetworkGet, Allow: []string{"*.test"}})
	if err := j.pane.Navigation.Navigate(j.ctx, j.address("?still")); err != nil {
		t.Fatal(err)
	}
	_, err := j.pane.Actions.Eval(j.ctx,
		`document.body.insertAdjacentHTML("beforeend", '<form method=post action=/to/order>' +
			'<input name=word value=kept><button>Order</button></form>')`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := j.pane.Mouse.Click(j.ctx, "Order")
	if err != nil {
		t.Fatal(err)
	}
	want := "refused by this goal's policy: POST to https://" + shopHost
	if got := fmt.Sprint(out); !strings.Contains(got, want) || !strings.Contains(got, "asks the user for this host") {
		t.Errorf("the agent hears %q", got)
	}
	if info := j.pane.State.Info(); !strings.Contains(info.Notice, want) {
		t.Errorf("the user reads %q", info.Notice)
	}
	if kept, err := j.pane.Actions.Eval(j.ctx, `document.querySelector("input").value`); err != nil ||
		!strings.Contains(kept, "kept") {
		t.Errorf("the page went: %q, %v", kept, err)
	}
	if len(j.received()) > 0 {
		t.Errorf("%v arrived", j.received())
	}
}

// TestHoldPageLoad_ApprovedOnce_LoadsWholePageAndNoMore: an approval for one call also covers what the page loads from
// its host after the call has ended. When the page is complete, the host is closed.
func TestHoldPageLoad_ApprovedOnce_LoadsWholePageAndNoMore(t *testing.T) {
	j := judgePages(t, egress.Rules{Risk: policy.WriteLocal})
	grants := func(now ...policy.Grant) {
		j.session.sandbox.HostRules.SetGrants(egress.Rules{Risk: policy.WriteLocal}, nil, now, j.session.applyEgressRules)
	}
	grants(policy.Grant{
		Scope: policy.ScopeOnce, Tool: "browser_open", Risk: policy.NetworkGet, Hosts: []string{shopHost},
	})
	if err := j.pane.Navigation.Navigate(j.ctx, j.address("parts")); err != nil {
		t.Fatal(err)
	}
	j.session.holdPageLoad(j.pane)
	grants() // the call has ended, and the page still waits for its first part
	close(j.gate)
	j.hears("second")
	j.session.pageLoads.Wait()
	if title := j.pane.State.Info().Title; title != "complete" {
		t.Errorf("the page was cut off: its title is %q", title)
	}
	if _, err := j.pane.Actions.Eval(j.ctx, `fetch("/to/later").catch(() => {})`); err != nil {
		t.Fatal(err)
	}
	if got, want := j.received(), []string{"first", "second", "style"}; !slices.Equal(got, want) {
		t.Errorf("%v arrived, want %v", got, want)
	}
}
