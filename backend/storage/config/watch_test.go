package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/lib/waittest"
)

// TestWatch_FileIsWrittenOrReplaced_IsReported: by this process, by another editor in place, and by a rename.
func TestWatch_FileIsWrittenOrReplaced_IsReported(t *testing.T) {
	c := open(t, t.TempDir())
	changed := make(chan struct{}, 100)
	end, err := c.Watch(func() { changed <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	limit := time.After(waittest.Scale(30 * time.Second))
	await := func(what string, size int) {
		t.Helper()
		for c.Settings().FontSize != size { // a file that is being written is reported more than once
			select {
			case <-changed:
			case <-limit:
				t.Fatalf("%s is not reported; the size is %d", what, c.Settings().FontSize)
			}
		}
	}
	s := c.Settings()
	s.FontSize = 14
	if err := c.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-limit:
		t.Fatal("a saved setting is not reported")
	}
	path := filepath.Join(c.State(), "settings.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	with := func(size string) []byte { return []byte(strings.Replace(string(b), `"font_size": 14`, size, 1)) }
	if err := os.WriteFile(path, with(`"font_size": 15`), 0o600); err != nil {
		t.Fatal(err)
	}
	await("an edit in place", 15)
	if err := os.WriteFile(path+".new", with(`"font_size": 16`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	await("a replaced file", 16)
}
