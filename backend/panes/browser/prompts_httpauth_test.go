package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// guarded is a site whose resources, but not whose page, require a login, with the user name ann.
func guarded(t *testing.T) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<title>Guarded</title><link rel="icon" href="data:,"><p id="out"></p>`)
			return
		}
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "secret" {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Basic realm=%q", strings.TrimPrefix(r.URL.Path, "/")))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>`)
	}))
	t.Cleanup(site.Close)
	return site
}

const fetchMany = `window.done = Promise.all([1, 2, 3, 4].map((n) => fetch('/a/things?' + n).then((r) => r.status))
	.concat(new Promise((say) => {
		const i = new Image();
		i.onload = () => say('seen');
		i.onerror = () => say('not seen');
		i.src = '/a/things?i';
	}))); 1`

// waiting waits until n requests wait for one login.
func (fi *fixture) waiting(p *Pane, n int) {
	fi.Helper()
	fi.overlay(p, "asking for one login", func(pane.Overlay) bool {
		return slices.ContainsFunc(p.Prompts.open, func(a openPrompt) bool {
			return a.Kind == pane.Login && len(*a.waiting) == n
		})
	})
}

// TestHTTPLogin_ForSubresources_IsAskedOnce: the user is asked once for a realm, however many requests wait.
func TestHTTPLogin_ForSubresources_IsAskedOnce(t *testing.T) {
	site := guarded(t)
	b := newFixture(t)
	p := b.open("b1", site.URL+"/")
	b.eval(p, fetchMany)
	for _, password := range []string{"wrong", "secret"} {
		b.waiting(p, 5) // Chromium sends them over several connections
		q := b.question(p, pane.Login)
		if q.Origin != site.URL || q.Text != "a/things" {
			t.Errorf("question %+v", q)
		}
		b.answer(p, pane.Answer{ID: q.ID, Yes: true, User: "ann", Password: password})
	}
	if got := b.eval(p, `done`); got != `[200,200,200,200,"seen"]` {
		t.Errorf("the page has %s", got)
	}
	p.State.mu.Lock()
	asks := p.Prompts.count
	p.State.mu.Unlock()
	if asks != 2 {
		t.Errorf("the user was asked %d times", asks)
	}

	b.eval(p, `window.more = Promise.all([1, 2].map((n) => fetch('/b/others?' + n).then((r) => r.status))); 1`)
	b.answer(p, pane.Answer{ID: b.question(p, pane.Login).ID})
	if got := b.eval(p, `more.then((a) => fetch('/b/others?3').then((r) => a.concat(r.status)))`); got != `[401,401,401]` {
		t.Errorf("after a no the page has %s", got)
	}
	// The next document asks again; a login for another site is never asked for.
	b.ok(p.Navigation.Reload(b.ctx))
	b.eval(p, `window.more = fetch('/b/others?4').then((r) => r.status); 1`)
	b.answer(p, pane.Answer{ID: b.question(p, pane.Login).ID, Yes: true, User: "ann", Password: "secret"})
	if got := b.eval(p, `more`); got != `200` {
		t.Errorf("after the next document the page has %s", got)
	}
	far := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	if got := b.eval(p, `new Promise((say) => {
		const i = new Image();
		i.onload = () => say('seen');
		i.onerror = () => say('not seen');
		i.src = '`+far+`/c/far';
	})`); got != `"not seen"` {
		t.Errorf("a picture of another site: %s", got)
	}
}

// TestLogin_SharedPageFetches_UserAnswers: requests of a shared page get no login, and nothing waits.
func TestLogin_SharedPageFetches_UserAnswers(t *testing.T) {
	site := guarded(t)
	b := newFixture(t)
	p := b.open("b1", site.URL+"/")
	b.eval(p, fetchMany)
	b.question(p, pane.Login)
	b.ok(p.Share("g1"))
	if got := b.eval(p, `done`); got != `[401,401,401,401,"not seen"]` {
		t.Errorf("what waited when the share began: %s", got)
	}
	if got := b.eval(p, `fetch('/a/things?5').then((r) => r.status)`); got != `401` {
		t.Errorf("what came after it: %s", got)
	}
}

// BenchmarkRequests loads a page of 200 pictures, each of which pauses at the request gate.
func BenchmarkRequests(b *testing.B) {
	w := newFixture(b)
	p := w.open("b1", "one.html")
	for b.Loop() {
		w.eval(p, `Promise.all(Array.from({ length: 200 }, (_, n) => fetch('one.html?' + Math.random())))`+`.then(() => 1)`)
	}
}
