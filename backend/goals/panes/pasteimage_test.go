package panes

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWritePasted_OldPictures_AreDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pasted")
	old, err := writePasted(dir, ".png", []byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	recent, err := writePasted(dir, ".png", []byte("recent"))
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-pastedFor - time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	path, err := writePasted(dir, ".jpg", []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old picture is still there")
	}
	for _, path := range []string{recent, path} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}
