package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTar_WithSetIDEntries_Extracts: tar extracts the files without the setuid and setgid bits, as it does for an
// ordinary user.
func TestTar_WithSetIDEntries_Extracts(t *testing.T) {
	w := newSpec(t)
	source := t.TempDir()
	file := write(t, filepath.Join(source, "folder", "file"), "x\n", 0o755)
	for path, bit := range map[string]os.FileMode{file: os.ModeSetuid, filepath.Dir(file): os.ModeSetgid} {
		if err := os.Chmod(path, 0o755|bit); err != nil {
			t.Fatal(err)
		}
	}
	pack := exec.CommandContext(t.Context(), "tar", "-C", source, "-cf", filepath.Join(w.Dir, "a.tar"), "folder")
	if text, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, text)
	}
	want := "755\n755\n"
	if text, status := output(t, openSandbox(t, w),
		inside(w, "umask 022; tar xf a.tar && stat -c %a folder folder/file")); text != want || status.Code != 0 {
		t.Errorf("%q %v, want %q", text, status, want)
	}
}

// TestSetgidFolders_AreUsed: programs use the user's setgid folders as usual, and may create, copy and move folders
// inside them. Only chmod cannot create a setgid folder, because chmod also works on files.
func TestSetgidFolders_AreUsed(t *testing.T) {
	w := newSpec(t)
	write(t, filepath.Join(w.Dir, "shared", "file"), "x\n", 0o644)
	if err := os.Chmod(filepath.Join(w.Dir, "shared"), 0o755|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	s := openSandbox(t, w)
	const script = "umask 022; mkdir -p shared/deep && echo y >shared/deep/file && cp -r shared copied && " +
		"mv shared/deep shared/moved && tar cf - shared | tar tf - | wc -l && stat -c %a shared/moved && cat copied/deep/file"
	if text, status := output(t, s, inside(w, script)); text != "4\n2755\ny\n" || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
	if text, status := output(t, s, inside(w, "mkdir made && chmod g+s made")); status.Code == 0 ||
		!strings.Contains(text, "Operation not permitted") {
		t.Errorf("chmod makes one: %q %v", text, status)
	}
}
