package browser

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"image/color"
	"image/jpeg"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
)

//go:embed fixtures
var fixtures embed.FS

// hangScript defines the function hang, which never returns.
//
//go:embed fixtures/hang.js
var hangScript string

// hangSoon makes a page hang after the call that evaluates it.
var hangSoon = hangScript + "setTimeout(hang)"

// patience limits how long a test waits for a signal.
var patience = waittest.Scale(time.Minute)

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(5*time.Minute))
	t.Cleanup(cancel)
	return ctx
}

func needChromium(t testing.TB) {
	t.Helper()
	if _, err := Find(); errors.Is(err, ErrMissing) {
		t.Skipf("needs Chromium: %v", err)
	}
}

// fixture is a manager with a server of the fixtures, see newFixture and newOwnFixture.
type fixture struct {
	testing.TB
	*Manager
	site string
	dir  string
	ctx  context.Context
	// signals are what pages sent to /signal/, which they can do before they hang.
	signals chan string
}

// newFixture returns the manager that tests share, configured for this test. alter changes nothing
// that Chromium is started with.
func newFixture(t testing.TB, alter ...func(*Config)) *fixture {
	t.Helper()
	b := newSite(t)
	b.Manager, b.dir = shared(t)
	b.configure(alteredConfig(b.cfg.Dir, alter))
	t.Cleanup(b.leave)
	return b
}

// newOwnFixture returns a manager for this test alone, because it ends or harms Chromium, or starts
// it in another way.
func newOwnFixture(t testing.TB, alter ...func(*Config)) *fixture {
	t.Helper()
	b := newSite(t)
	cfg := alteredConfig(filepath.Join(t.TempDir(), "b"), alter)
	b.Manager, b.dir = New(cfg), cfg.Dir
	t.Cleanup(func() {
		if err := errors.Join(b.Close(context.Background()), ended(b.dir)); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return b
}

// testConfig is the configuration of a test that alters nothing.
func testConfig(dir string) Config {
	return Config{
		Launcher: execLauncher{}, Dir: dir, Log: slog.New(slog.DiscardHandler), limits: testLimits(waittest.Slowness()),
	}
}

func alteredConfig(dir string, alter []func(*Config)) Config {
	cfg := testConfig(dir)
	for _, f := range alter {
		f(&cfg)
	}
	return cfg
}

// newSite returns a fixture without a manager.
func newSite(t testing.TB) *fixture {
	t.Helper()
	needChromium(t)
	pages, err := fs.Sub(fixtures, "fixtures")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(pages))
	mux.HandleFunc("/file.bin", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.bin"`)
		_, _ = w.Write(make([]byte, 100))
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/wait", func(_ http.ResponseWriter, r *http.Request) { // see hang.js
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second / 10):
		}
	})
	signals := make(chan string, 100)
	mux.HandleFunc("POST /signal/{word}", func(_ http.ResponseWriter, r *http.Request) { signals <- r.PathValue("word") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &fixture{TB: t, site: server.URL, ctx: testContext(t), signals: signals}
}

// leave cleans up for the next test. After a failed test, its manager is not used again.
func (fi *fixture) leave() {
	err := fi.vacate()
	if err != nil || fi.Failed() {
		err = errors.Join(err, demolish())
	}
	if err != nil {
		fi.Errorf("closing: %v", err)
	}
}

// open opens a fixture, or an address.
func (fi *fixture) open(id, page string) *Pane {
	fi.Helper()
	p, err := fi.Open(fi.ctx, Options{ID: id, URL: fi.url(page), Width: 800, Height: 600})
	if err != nil {
		fi.Fatalf("open %s: %v", page, err)
	}
	return p
}

func (fi *fixture) url(page string) string {
	if page == "" || strings.Contains(page, ":") {
		return page
	}
	return fi.site + "/" + page
}

func (fi *fixture) ok(err error) {
	fi.Helper()
	if err != nil {
		fi.Fatal(err)
	}
}

// until waits until the pane's info fulfills a condition.
func (fi *fixture) until(p *Pane, what string, ok func(pane.Info) bool) pane.Info {
	fi.Helper()
	ctx, cancel := context.WithTimeout(fi.ctx, patience)
	defer cancel()
	if err := p.State.wait(ctx, func() bool { return ok(p.State.info) }); err != nil {
		fi.Fatalf("the pane never was %s: %+v", what, p.State.Info())
	}
	return p.State.Info()
}

// eval runs script in the page's own world. All events that it caused before it returned have
// been handled.
func (fi *fixture) eval(p *Pane, script string) string {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	raw, err := evaluateWithin(fi.ctx, patience, pg, 0, script)
	fi.ok(err)
	pg.process.DrainEvents()
	out, err := unescapeJSON(raw)
	fi.ok(err)
	return out
}

// awaitSignal waits until a page has sent a word to /signal/.
func (fi *fixture) awaitSignal(word string) {
	fi.Helper()
	for {
		select {
		case got := <-fi.signals:
			if got == word {
				return
			}
		case <-time.After(patience):
			fi.Fatalf("no page sent %q", word)
		}
	}
}

// ended waits until no process has the word in its arguments. Nothing signals the end of a grandchild.
func ended(word string) error {
	var left []string
	if !waittest.Reached(context.Background(), patience, func() bool {
		left = processesWith(word)
		return len(left) == 0
	}) {
		return fmt.Errorf("processes left: %v", left)
	}
	return nil
}

func processesWith(word string) []string {
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(word)) {
			found = append(found, fmt.Sprintf("%s %.60q", path, line))
		}
	}
	return found
}

// frame waits for the next frame and acknowledges it.
func (fi *fixture) frame(v *Viewer) *pane.Frame {
	fi.Helper()
	ctx, cancel := context.WithTimeout(fi.ctx, patience)
	defer cancel()
	for {
		n, err := v.Next(ctx)
		f := n.Frame
		if err != nil {
			fi.Fatalf("no frame: %v", err)
		}
		if f != nil {
			v.Ack(f.N)
			return f
		}
	}
}

// frameOf waits until the middle of the picture has the color.
func (fi *fixture) frameOf(v *Viewer, want color.RGBA) *pane.Frame {
	fi.Helper()
	for {
		if f := fi.frame(v); near(middle(fi, f), want) {
			return f
		}
	}
}

func middle(t testing.TB, f *pane.Frame) color.RGBA {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(f.JPEG))
	if err != nil {
		t.Fatalf("frame %d is not a JPEG: %v", f.N, err)
	}
	at := img.Bounds()
	r, g, b, _ := img.At(at.Dx()/2, at.Dy()/2).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}

func near(a, b color.RGBA) bool {
	d := func(x, y uint8) bool { return max(x, y)-min(x, y) < 24 }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B)
}
