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

// pollInterval is short against what is waited for, and long against one look at /proc.
const pollInterval = 10 * time.Millisecond

// poll waits until done returns true. It is only for what sends no signal: the processes in
// /proc, and what a recorder has written.
func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	for timeout := time.Now().Add(late); !done(); time.Sleep(pollInterval) {
		if time.Now().After(timeout) {
			t.Fatalf("no %s within %s", what, late)
		}
	}
}
