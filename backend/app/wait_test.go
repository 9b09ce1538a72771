package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// awaitFile waits until the file at path exists and contains text. A program of a goal may
// create it, write it or rename another file to it.
func awaitFile(t *testing.T, path, text string) {
	t.Helper()
	watcher, err := fsnotify.NewWatcher()
	must(t, err)
	defer func() { must(t, watcher.Close()) }()
	must(t, watcher.Add(filepath.Dir(path)))
	timeout := time.After(late)
	for {
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), text) {
			return
		}
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			t.Fatal(err)
		case <-timeout:
			t.Fatalf("%s: %q, %v, want %q", path, b, err, text)
		}
	}
}
