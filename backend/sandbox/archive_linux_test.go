package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTar_WithSetIDEntries_Extracts without the bits, as for an ordinary user.
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
	if text, status := output(t, enclose(t, w),
		inside(w, "umask 022; tar xf a.tar && stat -c %a folder folder/file")); text != want || status.Code != 0 {
		t.Errorf("%q %v, want %q", text, status, want)
	}
}
