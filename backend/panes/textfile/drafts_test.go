package textfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"goalpost/backend/panes/textfile"
)

func TestDrafts_KeptAgain_TheNewestIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	d := textfile.NewDrafts(dir)
	for _, text := range []string{"a longer first text", "second\r\n"} {
		if err := d.Keep("f1", textfile.Draft{Path: "/a", Text: text, Base: "v1", At: at}); err != nil {
			t.Fatal(err)
		}
	}
	again := textfile.NewDrafts(dir)
	got, err := again.Get("f1", "/a")
	if err != nil || got == nil || *got != (textfile.Draft{Path: "/a", Text: "second\r\n", Base: "v1", At: at}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := again.Get("f1", "/b"); got != nil || err != nil {
		t.Errorf("another file has the draft %+v, %v", got, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "f1.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestDrafts_DroppedOrPaneIsGone_AreForgotten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	d := textfile.NewDrafts(dir)
	if err := errors.Join(d.Drop("f1"), d.Prune(func(string) bool { return false })); err != nil {
		t.Errorf("without any draft: %v", err)
	}
	for _, pane := range []string{"f1", "f2", "f3"} {
		if err := d.Keep(pane, textfile.Draft{Path: "/a", Text: pane}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, ".new-1"), nil, 0o600), d.Drop("f1"),
		d.Prune(func(pane string) bool { return pane != "f2" })); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != "f3.json" {
		t.Errorf("%v, %v", list, err)
	}
}
