package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/domain/pane"
)

// asking has a folder for downloads, and asks where each file is saved.
func asking(dir string) func(*Config) {
	return func(c *Config) {
		c.Downloads = func(string) string { return dir }
		c.AsksWhere = func() bool { return true }
	}
}

// awaitDownload waits until a condition holds for the newest download.
func (fi *fixture) awaitDownload(p *Pane, what string, ok func(pane.Download) bool) pane.Download {
	fi.Helper()
	o := fi.overlay(p, what, func(o pane.Overlay) bool {
		return len(o.Downloads) > 0 && ok(o.Downloads[len(o.Downloads)-1])
	})
	return o.Downloads[len(o.Downloads)-1]
}

func TestPlace_DownloadThatAsks_IsSavedThere(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	b := newOwnFixture(t, asking(dir))
	late := strings.Repeat("late", 1000)
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", "attachment; filename=late.bin")
		_, _ = w.Write([]byte(late)) // Chromium waits for the first kilobyte, which could tell another type
		_ = http.NewResponseController(w).Flush()
		<-hold
	}))
	t.Cleanup(site.Close)
	t.Cleanup(release)
	p := b.open("b1", "two.html")
	has := func(path, want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s has %.20q: %v", path, got, err)
		}
	}

	// The place is chosen before the file has arrived.
	b.ok(p.Downloads.Save(b.ctx, site.URL))
	d := b.awaitDownload(p, "a download that asks", func(d pane.Download) bool { return d.Asks })
	if want := filepath.Join(dir, "late.bin"); d.Path != want || d.State != pane.Downloading {
		t.Errorf("it proposes %+v", d)
	}
	if err := p.Downloads.Place(d.ID, filepath.Join(other, "no", "such")); err == nil {
		t.Error("a folder that is not there was accepted")
	}
	b.ok(p.Downloads.Place(d.ID, filepath.Join(other, "mine.bin")))
	release()
	b.awaitDownload(p, "saved", func(d pane.Download) bool { return d.State == pane.Downloaded })
	has(filepath.Join(other, "mine.bin"), late)

	// It has arrived, and waits; a folder keeps its name, and no file is replaced.
	b.ok(os.WriteFile(filepath.Join(other, "late.bin"), []byte("kept"), 0o600))
	b.ok(p.Downloads.Save(b.ctx, site.URL))
	d = b.awaitDownload(p, "arrived", func(d pane.Download) bool { return d.State == pane.Arrived })
	b.ok(p.Downloads.Place(d.ID, other))
	has(filepath.Join(other, "late.bin"), "kept")
	has(filepath.Join(other, "late (1).bin"), late)

	// One that is given up leaves nothing behind, and one that still asks when the pane closes is not lost.
	b.ok(p.Downloads.Save(b.ctx, site.URL))
	d = b.awaitDownload(p, "arrived", func(d pane.Download) bool { return d.State == pane.Arrived })
	b.ok(p.Downloads.CancelDownload(b.ctx, d.ID))
	b.ok(p.Downloads.Save(b.ctx, site.URL))
	b.awaitDownload(p, "arrived", func(d pane.Download) bool { return d.State == pane.Arrived })
	b.ok(b.ClosePane(b.ctx, "b1"))
	has(filepath.Join(dir, "late.bin"), late)
	if left, err := os.ReadDir(filepath.Join(dir, partialDir)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
