package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	body := []byte("#!/bin/sh\nexit 0\n")
	path, err := install(dir, helperName, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"untouched": func() error { return nil },
		"changed":   func() error { return os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o755) },
		"cut":       func() error { return os.Truncate(path, 3) },
		"mode":      func() error { return os.Chmod(path, 0o777) },
		"link":      func() error { return errors.Join(os.Remove(path), os.Symlink("/bin/sh", path)) },
		"gone":      func() error { return os.Remove(path) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		again, err := install(dir, helperName, body)
		if err != nil || again != path || !same(path, body) {
			t.Errorf("%s: %s %v", name, again, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	other, err := install(dir, helperName, []byte("another"))
	if err != nil || other == path {
		t.Errorf("another content: %s %v", other, err)
	}
}

func TestInstallWithoutEmbedded(t *testing.T) {
	if _, err := built.ReadFile("embed/" + helperName); err == nil {
		t.Skip("this build has the helper embedded")
	}
	t.Setenv("GOALPOST_HELPER", "")
	if _, err := Install(t.TempDir()); !errors.Is(err, ErrNoHelper) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("%v", err)
	}
	t.Setenv("GOALPOST_HELPER", "/bin/sh")
	if path, err := Install(t.TempDir()); err != nil || path != "/bin/sh" {
		t.Errorf("%s %v", path, err)
	}
}

func TestEnv(t *testing.T) {
	got := Env([]string{
		"HOME=/home/a", "LD_PRELOAD=evil.so", "WEBKIT_INSPECTOR_SERVER=127.0.0.1:1", "GOALPOST_TOKEN=secret",
		"TERM=dumb", "PATH=/bin", "PATH=/usr/bin", "nonsense",
	}, "HOME=/home/b", "EXTRA=a=b")
	slices.Sort(got)
	want := []string{"COLORTERM=truecolor", "EXTRA=a=b", "HOME=/home/b", "LANG=C.UTF-8", "PATH=/usr/bin", "TERM=xterm-256color"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, locale := range []string{"LANG=de_DE.UTF-8", "LC_ALL=C", "LC_CTYPE=C.UTF-8"} {
		if got := Env([]string{locale}); slices.Contains(got, "LANG=C.UTF-8") {
			t.Errorf("%s: %q", locale, got)
		}
	}
	if got := Env([]string{"LANG="}); !slices.Contains(got, "LANG=C.UTF-8") {
		t.Errorf("empty LANG: %q", got)
	}
}
