package baseline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/storage/snapshot"
)

func TestEvidence_NamedFilesFirst_ThenChangedOnes(t *testing.T) {
	dir, private := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, name)
		done(t, os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600))
	}
	write("docs/guide.md", "as it was\n")
	write("b.txt", "before\n")
	write("other.txt", "not named\n")
	write("checks/secret.md", "what passes\n")
	w, err := Record(t.Context(), Options{Dir: dir, Private: private, Hidden: []string{"checks"}})
	done(t, err)
	archive, err := snapshot.Open(snapshot.Options{Dir: dir, Private: private, Hidden: []string{"checks"}})
	done(t, err)
	done(t, archive.Take(t.Context(), snapshot.Start, 0))
	w.Source = archive
	write("a.txt", strings.Repeat("long\n", maxEvidenceBytes))
	write("b.txt", "after\n")
	write("report.md", "all is well\n")
	write("picture.png", "\x89PNG\x00")
	done(t, os.Symlink("/etc/passwd", filepath.Join(dir, "passwd")))

	const question = "Does report.md say what guide.md asks for, and secret.md, ../../etc/passwd, passwd?"
	list, err := w.Evidence(t.Context(), question)
	done(t, err)
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%s %t %s %t %d", f.Path, f.Named, f.Change, f.IsText, len(f.Text)))
	}
	want := []string{
		"docs/guide.md true  true 10", "report.md true new true 12", "a.txt false new false 0",
		"b.txt false changed true 6", "passwd false new false 0", "picture.png false new false 0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, f := range list {
		if strings.Contains(f.Text+f.Diff, "root:") || strings.Contains(f.Text+f.Diff, "what passes") {
			t.Errorf("%s shows what is outside of the folder or hidden", f.Path)
		}
	}
}

func TestEvidence_NameOfManyFiles_NamesNone(t *testing.T) {
	dir := t.TempDir()
	for i := range maxSameName + 1 {
		at := filepath.Join(dir, fmt.Sprint(i))
		done(t, os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, "index.ts"), nil, 0o600))
	}
	w, err := Record(t.Context(), Options{Dir: dir, Private: t.TempDir()})
	done(t, err)
	for question, want := range map[string]int{"Is index.ts tidy?": 0, "Is 2/index.ts tidy?": 1} {
		if list, err := w.Evidence(t.Context(), question); err != nil || len(list) != want {
			t.Errorf("%s: %d files, %v", question, len(list), err)
		}
	}
}

func done(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
