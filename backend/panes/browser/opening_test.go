package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
)

// TestNavigate_WhilePaneOpens_LoadsAddress: the address is loaded, no matter how far the opening of the pane has got.
// `make leaks` tries 60 times.
func TestNavigate_WhilePaneOpens_LoadsAddress(t *testing.T) {
	b := newFixture(t)
	for i := range *openings {
		id := fmt.Sprintf("p%d", i)
		opened := make(chan error, 1)
		go func() {
			_, err := b.Open(b.ctx, Options{ID: id, URL: "about:blank", Width: 300, Height: 200})
			opened <- err
		}()
		p, ok := b.Get(id)
		for ; !ok; p, ok = b.Get(id) {
			runtime.Gosched()
		}
		if i%2 == 1 { // during the page's preparation
			b.ok(p.State.wait(b.ctx, func() bool { return p.State.page != nil }))
		}
		b.ok(p.Navigation.Navigate(b.ctx, b.url("colour.html")))
		b.ok(<-opened)
		info := b.until(p, "title", func(i pane.Info) bool { return i.Title == "Colour" })
		if info.URL != b.url("colour.html") || info.Problem != "" {
			t.Errorf("round %d: %+v", i, info)
		}
		v := p.Attach()
		b.frameOf(v, red)
		v.Close()
		b.ok(b.ClosePane(b.ctx, id))
	}
}

// TestOpen_ClosedWhileChromiumStarts_SaysOnlyThat: a user who closes a pane that still starts is told nothing about
// Chromium, which prints to its standard error in every start.
func TestOpen_ClosedWhileChromiumStarts_SaysOnlyThat(t *testing.T) {
	dir := t.TempDir()
	program, started := filepath.Join(dir, "chromium"), filepath.Join(dir, "started")
	// It never answers, and ends with its pipe.
	script := "#!/bin/sh\necho 'cannot connect to the bus' >&2\n: >'" + started + "'\nexec cat <&3 >/dev/null\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	b := newOwnFixture(t, func(c *Config) { c.Path = program })
	opened := make(chan error, 1)
	go func() {
		_, err := b.Open(b.ctx, Options{ID: "p1", URL: "about:blank"})
		opened <- err
	}()
	waittest.Until(t, "start of Chromium", func() bool {
		_, err := os.Stat(started)
		return err == nil
	})
	b.ok(b.ClosePane(b.ctx, "p1"))
	if f := fault.Of(<-opened); f.Code != fault.Closed || strings.Contains(f.Message, "bus") {
		t.Errorf("opening says %+v", f)
	}
}

// TestNavigate_PageRedirectsItself_WaitsForNextPage: if a page redirects before it has loaded, the call waits for the
// next one.
func TestNavigate_PageRedirectsItself_WaitsForNextPage(t *testing.T) {
	b := newFixture(t, func(c *Config) { c.limits.load = time.Hour })
	mux := http.NewServeMux()
	for at, words := range map[string]string{
		"GET /{$}":  `<script>location = '/next'</script>`,
		"GET /next": `<script>location = '/last'</script>`,
		"GET /last": `<p>here at last`,
	} {
		mux.HandleFunc(at, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, words)
		})
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	p := b.open("b1", server.URL)
	if at := p.State.Info().URL; at != server.URL+"/last" {
		t.Errorf("the page is at %s", at)
	}
	read, err := p.Reader.Read(b.ctx, pane.ReadOptions{})
	b.ok(err)
	if read.Text != "here at last" {
		t.Errorf("it says %q", read.Text)
	}
}
