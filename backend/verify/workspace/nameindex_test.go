package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func done(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestRememberedFoldersHideNothing: a second look, which lists only the folders that
// have changed, finds what a first one would, whatever was done.
func TestRememberedFoldersHideNothing(t *testing.T) {
	dir := t.TempDir()
	at := func(p string) string { return filepath.Join(dir, p) }
	for i := range 20 {
		done(t, os.MkdirAll(at(fmt.Sprintf("d%d/in/er", i)), 0o700),
			os.WriteFile(at(fmt.Sprintf("d%d/in/er/f", i)), nil, 0o600))
	}
	conf := func(path string) bool { return filepath.Base(path) == "conf" }
	n := NameIndex{Want: conf}
	// a folder is remembered when it has been at rest for a while; nothing tells of it
	for over := time.Now().Add(time.Minute); len(n.known) < 61; {
		if done(t, n.Scan(t.Context(), dir)); time.Now().After(over) {
			t.Fatalf("%d of 61 folders are remembered", len(n.known))
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(n.Entries) != 0 {
		t.Fatalf("found %v", n.Entries)
	}
	for i, act := range []struct {
		what string
		do   func() error
		want string
	}{
		{"a file in a leaf", func() error { return os.WriteFile(at("d3/in/er/conf"), nil, 0o600) }, "d3/in/er/conf"},
		{"a link", func() error { return os.Symlink("nowhere", at("d5/conf")) }, "d3/in/er/conf d5/conf"},
		{"a folder in a leaf", func() error {
			return errors.Join(os.MkdirAll(at("d7/in/er/new"), 0o700), os.WriteFile(at("d7/in/er/new/conf"), nil, 0o600))
		}, "d3/in/er/conf d5/conf d7/in/er/new/conf"},
		{"folders that change places", func() error {
			return errors.Join(os.Rename(at("d3/in/er"), at("away")), os.Rename(at("d4/in/er"), at("d3/in/er")),
				os.Rename(at("away"), at("d4/in/er")))
		}, "d4/in/er/conf d5/conf d7/in/er/new/conf"},
		{"a folder that goes elsewhere", func() error {
			return os.Rename(at("d7"), at("d0/in/er/d7"))
		}, "d0/in/er/d7/in/er/new/conf d4/in/er/conf d5/conf"},
		{"a file that goes, a folder for a file", func() error {
			return errors.Join(os.Remove(at("d4/in/er/conf")), os.Remove(at("d5/conf")), os.Mkdir(at("d5/conf"), 0o700))
		}, "d0/in/er/d7/in/er/new/conf"},
		{"a tree that is removed", func() error { return os.RemoveAll(at("d0")) }, ""},
	} {
		done(t, act.do(), n.Scan(t.Context(), dir))
		var found []string
		for _, e := range n.Entries {
			found = append(found, e.Path)
		}
		slices.Sort(found)
		if got := strings.Join(found, " "); got != act.want {
			t.Errorf("%d %s: found %q, want %q", i, act.what, got, act.want)
		}
		fresh := NameIndex{Want: conf}
		if done(t, fresh.Scan(t.Context(), dir)); fresh.total != n.total || len(fresh.Entries) != len(n.Entries) ||
			len(n.known) > n.total+1 {
			t.Errorf("%d %s: %d names and %d known, a first look finds %d", i, act.what, n.total, len(n.known), fresh.total)
		}
	}
}

// TestAFingerprintSaysWhatItIsNotOf: beyond its bound, and of ignored folders.
func TestAFingerprintSaysWhatItIsNotOf(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		done(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), nil, 0o600))
	}
	w, err := Record(t.Context(), Options{Dir: dir, Private: filepath.Join(t.TempDir(), "p")})
	done(t, err)
	for most, want := range map[int]string{31: "", 30: "", 29: "more than 29 entries"} {
		w.most = most
		_, unseen, err := w.Fingerprint(t.Context())
		if done(t, err); (unseen == "") != (want == "") || !strings.Contains(unseen, want) {
			t.Errorf("of %d: %q", most, unseen)
		}
	}
	w.most = maxFingerprintEntries
	done(t, os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", walkDepth+5)), 0o700))
	if _, unseen, err := w.Fingerprint(t.Context()); err != nil || !strings.Contains(unseen, "deep") {
		t.Errorf("deep: %q %v", unseen, err)
	}
	look := treeWalk{most: 10, heaped: maxGeneratedEntries}
	if s := look.omissions(); !strings.Contains(s, "ignored folders") {
		t.Errorf("heaps: %q", s)
	}
}
