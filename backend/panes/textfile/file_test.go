package textfile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/textfile"
)

func open(t *testing.T, path string) (*textfile.File, *textfile.Manager) {
	t.Helper()
	m := textfile.NewManager(func(pane.Info, bool) {})
	t.Cleanup(func() {
		if err := m.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	f, err := m.Open("f1", path)
	if err != nil {
		t.Fatal(err)
	}
	return f, m
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// next waits for the next content of a viewer.
func next(t *testing.T, v *textfile.Viewer) textfile.Content {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(20*time.Second))
	defer cancel()
	c, err := v.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestViewer_FileChanges_GetsEachContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cart.py")
	f, _ := open(t, path)
	v := f.Attach()
	defer v.Close()
	if c := next(t, v); c.Version != "" || !strings.Contains(c.Problem, "does not exist") {
		t.Errorf("a missing file is %+v", c)
	}
	write(t, path, "one\n")
	for string(next(t, v).Text) != "one\n" { // it may be read while it is empty
	}
	other := path + ".new" // as editors save
	write(t, other, "two\n")
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if c := next(t, v); string(c.Text) != "two\n" {
		t.Errorf("after a rename it is %+v", c)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if c := next(t, v); c.Text != nil || c.Problem == "" {
		t.Errorf("a removed file is %+v", c)
	}
}

func TestSave_FileIsAsShown_ReplacesItInPlace(t *testing.T) {
	dir := t.TempDir()
	path, link, second := filepath.Join(dir, "cart.py"), filepath.Join(dir, "link.py"), filepath.Join(dir, "second.py")
	write(t, path, "a long first content\n")
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink(path, link), os.Link(path, second)); err != nil {
		t.Fatal(err)
	}
	f, _ := open(t, link)
	v := f.Attach()
	defer v.Close()
	first := next(t, v)
	if first.Target != path {
		t.Errorf("the link leads to %q", first.Target)
	}
	saved, err := f.Save("short\r\n", first.Version)
	if err != nil {
		t.Fatal(err)
	}
	if c := next(t, v); c.Version != saved || string(c.Text) != "short\r\n" {
		t.Errorf("the other viewers see %+v", c)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, second) != "short\r\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q with the mode %v", read(t, second), info.Mode())
	}
	if l, err := os.Lstat(link); err != nil || l.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link: %v", err)
	}
}

func TestSave_FileChangedInTheMeantime_KeepsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cart.py")
	write(t, path, "one\n")
	f, _ := open(t, path)
	shown := f.Read()
	write(t, path, "by the agent\n")
	if _, err := f.Save("by the user\n", shown.Version); fault.Of(err).Code != fault.Conflict {
		t.Errorf("saving says %v", err)
	}
	if got := read(t, path); got != "by the agent\n" {
		t.Errorf("the file holds %q", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save("by the user\n", shown.Version); fault.Of(err).Code != fault.Conflict {
		t.Errorf("saving a removed file says %v", err)
	}
	if _, err := f.Save("by the user\n", f.Read().Version); err != nil || read(t, path) != "by the user\n" {
		t.Errorf("a removed file is not made again: %v", err)
	}
}

func TestViewer_WhileFileIsSaved_SeesWholeContents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cart.py")
	contents := []string{strings.Repeat("long\n", 20_000), "short\n"}
	write(t, path, contents[0])
	f, _ := open(t, path)
	v := f.Attach()
	defer v.Close()
	version := f.Read().Version
	const saves = 200
	done := make(chan error, 1)
	go func() {
		for n := range saves {
			var err error
			if version, err = f.Save(contents[(n+1)%2]+strconv.Itoa(n), version); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for last := strconv.Itoa(saves - 1); ; {
		got := string(next(t, v).Text)
		rest, isLong := strings.CutPrefix(got, contents[0])
		if !isLong {
			rest = strings.TrimPrefix(got, contents[1])
		}
		if _, err := strconv.Atoi(rest); err != nil && rest != "" {
			t.Fatalf("%d bytes were never saved", len(got))
		}
		if rest == last {
			break
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestSave_FileBecameALink_IsRefused(t *testing.T) {
	dir := t.TempDir()
	path, private := filepath.Join(dir, "readme"), filepath.Join(dir, "private")
	write(t, path, "one\n")
	write(t, private, "mine\n")
	f, _ := open(t, path)
	if err := errors.Join(os.Remove(path), os.Symlink(private, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Save("two\n", f.Read().Version); fault.Of(err).Code != fault.Refused {
		t.Errorf("saving says %v", err)
	}
	if got := read(t, private); got != "mine\n" {
		t.Errorf("the other file holds %q", got)
	}
}

func TestRead_WhatCannotBeShown_SaysWhy(t *testing.T) {
	dir := t.TempDir()
	big, binary := filepath.Join(dir, "big"), filepath.Join(dir, "binary")
	write(t, binary, "a\x00b")
	write(t, big, "")
	if err := os.Truncate(big, textfile.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{binary: "not UTF-8", big: "at most", dir: "not a file"} {
		f, m := open(t, path)
		c := f.Read()
		if c.Text != nil || !strings.Contains(c.Problem, want) {
			t.Errorf("%s is %q", path, c.Problem)
		}
		if path == binary {
			continue // what is not shown can still be replaced by what was there
		}
		if _, err := f.Save("x", c.Version); err == nil {
			t.Errorf("%s was replaced", path)
		}
		if err := m.Close("f1"); err != nil {
			t.Error(err)
		}
	}
}
