package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"goalpost/backend/lib/waittest"
)

// agentSite serves a page with a frame and a worker, and records the user agent of each path.
type agentSite struct {
	url  string
	seen sync.Map
}

func startAgentSite(t *testing.T) *agentSite {
	t.Helper()
	s := &agentSite{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.seen.Store(r.URL.Path, r.UserAgent())
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/page":
			_, _ = fmt.Fprintf(w, `<!doctype html><title>page</title><iframe src="%s/frame"></iframe><script>
				new Worker("/worker.js");
			</script>`, strings.Replace(s.url, "127.0.0.1", "localhost", 1))
		case "/frame":
			_, _ = fmt.Fprint(w, `<script>fetch("/in-frame/" + encodeURIComponent(navigator.userAgent))</script>`)
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, `fetch("/in-worker/" + encodeURIComponent(navigator.userAgent))`)
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func TestUserAgent_PagesOfTheUser_HaveThatOfTheSettings(t *testing.T) {
	var agent atomic.Value
	agent.Store("Tester/1.0")
	b := newOwnFixture(t, func(c *Config) {
		c.UserAgent = func() string { return agent.Load().(string) }
	})
	site := startAgentSite(t)
	has := func(path, want string) {
		t.Helper()
		var got any
		if !waittest.Reached(b.ctx, patience, func() bool { got, _ = site.seen.Load(path); return got == want }) {
			t.Errorf("%s was requested as %v, not as %q", path, got, want)
		}
	}
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: site.url + "/page", Profile: "default"})
	b.ok(err)
	for _, path := range []string{
		"/page", "/frame", "/in-frame/Tester/1.0", "/worker.js", "/in-worker/Tester/1.0",
	} {
		has(path, "Tester/1.0")
	}
	found, err := p.SiteData.Site(b.ctx)
	b.ok(err)
	if found.UserAgent != "Tester/1.0" {
		t.Errorf("the site's panel shows %q", found.UserAgent)
	}

	// A changed setting reaches pages that are open, and "" is Chromium's own.
	agent.Store("Tester/2.0")
	b.ApplyUserAgent()
	b.ok(p.Navigation.Reload(b.ctx))
	has("/in-frame/Tester/2.0", "Tester/2.0")
	agent.Store("")
	b.ApplyUserAgent()
	b.ok(p.Navigation.Reload(b.ctx))
	if own := b.eval(p, "navigator.userAgent"); strings.Contains(own, "Tester") {
		t.Errorf("without the setting, the page has %s", own)
	}
	agent.Store("Tester/3.0")
	_, err = b.Open(b.ctx, Options{ID: "b3", URL: site.url + "/goal", GoalID: "g1"})
	b.ok(err)
	if got, _ := site.seen.Load("/goal"); fmt.Sprint(got) == "Tester/3.0" {
		t.Error("a page of a goal has the user's user agent")
	}
}
