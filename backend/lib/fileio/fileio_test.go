package fileio_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/lib/fileio"
)

// TestRead_NoRegularFile_IsRefused: the error says whether the path is a folder, too long or missing. A link that
// leads out of the folder is not followed.
func TestRead_NoRegularFile_IsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"short": "abc", "long": "abcd"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "sub"), 0o700),
		os.Symlink("/etc/passwd", filepath.Join(dir, "out"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for name, want := range map[string]string{
		"short": "", "long": "too long", "sub": "not a regular file", "missing": "no such file", "out": "escapes",
	} {
		b, info, err := fileio.Read(root, name, 3)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if want == "" && (string(b) != "abc" || fileio.ChangeTime(info) == 0) {
			t.Errorf("%s: %q, changed at %d", name, b, fileio.ChangeTime(info))
		}
	}
	if _, _, err := fileio.Read(root, "long", 3); !errors.Is(err, fileio.ErrTooLong) {
		t.Errorf("%v", err)
	}
}

// TestWriteJSON_Again_ReplacesWhole: a second write replaces the first, leaves no other file, and is private.
func TestWriteJSON_Again_ReplacesWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	for _, text := range []string{"first, which is longer", "second"} {
		if err := fileio.WriteJSON(path, text); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := fileio.ReadJSON(path, &got); err != nil || got != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestIsText_ZeroByteOrNoUTF8_IsNot(t *testing.T) {
	for text, want := range map[string]bool{"": true, "grün\n": true, "a\x00b": false, "\xff": false} {
		if got := fileio.IsText([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
