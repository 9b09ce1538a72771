package cli

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/lib/waittest"
)

// TestHostWindow_NoneIsOpen_StartsOne: the button Open of a notification works after the window was closed. A program
// without windows says that it cannot.
func TestHostWindow_NoneIsOpen_StartsOne(t *testing.T) {
	s, err := hostsocket.NewServer(hostsocket.Options{
		Log: slog.New(slog.DiscardHandler), Streams: http.NotFoundHandler(),
		Methods: func([]string) (hostsocket.Methods, error) { return nil, nil }, //nolint:nilnil // nothing is called
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := (hostWindow{Program{}, s}); w.IsThere() || w.ShowGoal("g1") == nil {
		t.Error("a program without windows shows a goal")
	}
	dir := t.TempDir()
	program, said := filepath.Join(dir, "program"), filepath.Join(dir, "said")
	script := "#!/bin/sh\necho \"$@\" >" + said + ".new && mv " + said + ".new " + said + "\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	p := Program{Executable: program, Window: func(string) int { return 0 }, Getenv: func(string) string { return "" }}
	if w := (hostWindow{p, s}); w.IsThere() || w.ShowGoal("g1") == nil {
		t.Error("a program without a display shows a goal")
	}
	p.Getenv = func(name string) string { return map[string]string{"WAYLAND_DISPLAY": "wayland-0"}[name] }
	w := hostWindow{p, s}
	if !w.IsThere() {
		t.Error("no window can be opened")
	}
	if err := w.ShowGoal("01k3abcd"); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "window", func() bool {
		got, err := os.ReadFile(said)
		return err == nil && string(got) == "open goalpost://goal/01k3abcd\n"
	})
}
