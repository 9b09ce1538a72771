package browser

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// TestPopup_AttachedLate_IsWatched: a popup's document may exist before the pane attaches. The page's title and all
// messages of userprompts.js must still arrive.
func TestPopup_AttachedLate_IsWatched(t *testing.T) {
	ids := make(chan string, 8)
	for _, id := range []string{"p1", "p2", "p3", "p4"} {
		ids <- id
	}
	news := make(chan pane.Info, 1000)
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: <-ids}, true }
		c.OnChange = func(i pane.Info, _ bool) { news <- i }
	})
	p := b.open("b1", "mouse.html")
	v := p.Attach()
	defer v.Close()
	for _, id := range []string{"p1", "p2", "p3", "p4"} {
		b.click(v, 60, 275)
		for i := range news {
			if i.ID == id && i.Running {
				break
			}
		}
		q, _ := b.Get(id)
		b.until(q, "named", func(i pane.Info) bool { return i.Title == "Second" })
	}
}

// TestPopup_StillLoading_IsReported: a window that has not loaded in time reports it in its snapshot,
// and to the call that opened it.
func TestPopup_StillLoading_IsReported(t *testing.T) {
	called, answer, rest := make(chan struct{}), make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<a href=/late target=_blank>Late</a> <a href=/none target=_blank>None</a>`)
	})
	mux.HandleFunc("GET /none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /late", func(w http.ResponseWriter, r *http.Request) {
		wait := func(c chan struct{}) {
			select {
			case <-c:
			case <-r.Context().Done():
			}
		}
		close(called)
		wait(answer)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<p>one half</p>`)
		_ = http.NewResponseController(w).Flush()
		wait(rest)
		_, _ = io.WriteString(w, `<p>and the other</p>`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	ids := make(chan string, 2)
	ids <- "late"
	ids <- "none"
	b := newFixture(t, func(c *Config) {
		c.limits.leaving, c.limits.firstDocument = time.Millisecond, time.Millisecond
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: <-ids}, true }
	})
	p := b.open("b1", server.URL)
	has(t, b.act(p.Mouse.Click(b.ctx, "Late")).Changed, "asked for a new window, which has not opened yet")
	<-called
	close(answer)
	const more, none = "it is still loading", "this window has no document yet"
	b.ok(p.State.wait(b.ctx, func() bool { return p.State.network.opening.IsZero() }))
	w, ok := b.Get("late")
	if !ok {
		t.Fatal("the window has not become a pane")
	}
	if read, err := w.Reader.Read(b.ctx, pane.ReadOptions{}); err != nil || !strings.Contains(read.Text, more) {
		t.Errorf("of a page of which half is there: %q %v", read.Text, err)
	}
	has(t, b.look(w).Text, "one half", more)
	found, err := w.Reader.FindElements(b.ctx, pane.FindOptions{Text: "the other"})
	b.ok(err)
	has(t, found, "nothing on the page matches", more)
	close(rest)
	b.until(w, "loaded", func(i pane.Info) bool { return !i.Loading })
	if read, err := w.Reader.Read(b.ctx, pane.ReadOptions{}); err != nil || read.Text != "one half\n\nand the other" {
		t.Errorf("of the whole page: %q %v", read.Text, err)
	}

	b.act(p.Mouse.Click(b.ctx, "None"))
	b.ok(p.State.wait(b.ctx, func() bool { return p.State.network.opening.IsZero() }))
	w, ok = b.Get("none")
	if !ok {
		t.Fatal("the second window has not become a pane")
	}
	has(t, b.look(w).Text, "the page shows nothing", none)
	b.ok(w.Navigation.Navigate(b.ctx, server.URL))
	if text := b.look(w).Text; strings.Contains(text, none) || strings.Contains(text, more) {
		t.Errorf("of a window that has another page by now:\n%s", text)
	}
}

// TestDownload_InNewWindow_BelongsToOpener: the page that opened the window gets the download, because the
// window closes at once.
func TestDownload_InNewWindow_BelongsToOpener(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<a href=/file target=_blank>File</a>`)
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
		_, _ = io.WriteString(w, "seven")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	dir := t.TempDir()
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: "w1"}, true }
		c.GoalFolder = func(string) string { return dir }
	})
	b.ok(os.Mkdir(filepath.Join(dir, goalDownloads), 0o700))
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: server.URL, GoalID: "g1"})
	b.ok(err)
	has(t, b.act(p.Mouse.Click(b.ctx, "File")).Changed, `it downloads "report.txt"`)
	list, err := p.Downloads.AwaitDownloads(b.ctx, patience)
	b.ok(err)
	if len(list) != 1 || list[0].State != pane.Downloaded {
		t.Fatalf("the downloads: %+v", list)
	}
	if text, err := os.ReadFile(list[0].Path); err != nil || string(text) != "seven" {
		t.Errorf("the file says %q: %v", text, err)
	}
	if info := p.State.Info(); info.Notice != "" {
		t.Errorf("the user reads %q", info.Notice)
	}
}

// TestClosePane_PageGone_Succeeds: closing a pane does not fail if its page is gone, whether or not
// the pane knows that.
func TestClosePane_PageGone_Succeeds(t *testing.T) {
	b := newFixture(t)
	for name, known := range map[string]bool{"known": true, "unknown": false} {
		p := b.open(name, "one.html")
		pg, err := p.State.currentPage()
		b.ok(err)
		b.ok(pg.process.Do(b.ctx, pg.process.Alive, "", patience, "closing the page", func(c proto.Client) error {
			return cdp.CallNoResult(c, proto.TargetCloseTarget{TargetID: pg.target})
		}))
		if known {
			b.until(p, "gone", func(i pane.Info) bool { return i.Problem == "the page closed itself" })
		}
		if err := b.ClosePane(b.ctx, name); err != nil {
			t.Errorf("closing a pane whose page went, %s: %v", name, err)
		}
	}
}

// TestClick_PageClosesItself_Succeeds: the click is done, and its result or the next call says what became of the page.
func TestClick_PageClosesItself_Succeeds(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	b.eval(p, `document.body.innerHTML = '<button onclick="window.close()">Done</button>'`)
	a := b.act(p.Mouse.Click(b.ctx, "Done"))
	b.until(p, "gone", func(i pane.Info) bool { return i.Problem == "the page closed itself" })
	_, err := p.Mouse.Click(b.ctx, "Done")
	if !errors.Is(err, ErrEnded) || !strings.Contains(err.Error(), "the page closed itself: open an address") {
		t.Errorf("the next click: %v", err)
	}
	if !strings.Contains(a.Changed, "closed itself") {
		t.Logf("the page closed after the result: %q", a.Changed)
	}
}

// TestPopup_DocumentStillSent_IsAwaited: a window whose document was still being sent when the pane
// attached is waited for like any other.
func TestPopup_DocumentStillSent_IsAwaited(t *testing.T) {
	shown, rest := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<a href=/window target=_blank>Window</a>`)
	})
	mux.HandleFunc("GET /window", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<p>one half</p><script>fetch('/shown')</script>`)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-rest:
			_, _ = io.WriteString(w, `<p>and the other</p>`)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /shown", func(http.ResponseWriter, *http.Request) { close(shown) })
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	b := newFixture(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) {
			<-shown
			return Options{ID: "w1"}, true
		}
	})
	p := b.open("b1", server.URL)
	b.act(p.Mouse.Click(b.ctx, "Window"))
	w, ok := b.Get("w1")
	if !ok {
		t.Fatal("the window has not become a pane")
	}
	b.ok(w.State.wait(b.ctx, func() bool { return w.popup.stage == popupLoading }))
	w.State.mu.Lock()
	load := w.State.load
	w.State.mu.Unlock()
	if load.isLoaded() {
		t.Errorf("half a document is taken for a loaded one: %+v", load)
	}
	close(rest)
	read, err := w.Reader.Read(b.ctx, pane.ReadOptions{})
	b.ok(err)
	has(t, read.Text, "one half", "and the other")
}
