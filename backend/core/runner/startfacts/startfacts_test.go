package startfacts

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// TestRead_Folder_HasWhatTheAgentMayKnow: hidden paths, binary files, copies, and what exceeds the limits are left out.
func TestRead_Folder_HasWhatTheAgentMayKnow(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "AGENTS.md"), strings.Repeat("é", MaxInstructions), 0o600)
	write(t, filepath.Join(dir, ".github", "copilot-instructions.md"), "zero \x00", 0o600)
	write(t, filepath.Join(dir, ".cursorrules"), "Be brief.", 0o600)
	write(t, filepath.Join(dir, "secret", "check.py"), "", 0o600)
	if err := os.Symlink("AGENTS.md", filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(bin, "python3.12"), "", 0o700)
	write(t, filepath.Join(bin, "go"), "", 0o600) // cannot be started
	if err := os.Symlink("python3.12", filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}
	f := Read(dir, []string{filepath.Join(dir, "secret")}, bin, time.Now())
	if got := strings.Join(f.Entries, " "); got != ".cursorrules .github/ AGENTS.md CLAUDE.md" || f.More > 0 {
		t.Errorf("listed are %s and %d more", got, f.More)
	}
	if got := strings.Join(f.Programs, " "); got != "python3.12" {
		t.Errorf("found are %s", got)
	}
	paths := ""
	for _, one := range f.Instructions {
		paths += one.Path + " "
	}
	if paths != "AGENTS.md .cursorrules " {
		t.Fatalf("the instructions are in %s", paths)
	}
	if one := f.Instructions[0]; one.Bytes != 2*MaxInstructions || len(one.Text) > MaxInstructions+len("…") {
		t.Errorf("of %d bytes, %d are kept", one.Bytes, len(one.Text))
	}
	for i := range maxEntries {
		write(t, filepath.Join(dir, "x", strconv.Itoa(i)), "", 0o600)
	}
	if got := Read(filepath.Join(dir, "x"), nil, "", time.Now()); len(got.Entries) != maxEntries || got.More > 0 {
		t.Errorf("of %d entries, %d are listed and %d more", maxEntries, len(got.Entries), got.More)
	}
	write(t, filepath.Join(dir, "x", "last"), "", 0o600)
	if got := Read(filepath.Join(dir, "x"), nil, "", time.Now()); len(got.Entries) != maxEntries || got.More != 1 {
		t.Errorf("%d are listed and %d more", len(got.Entries), got.More)
	}
	if got := Read(filepath.Join(dir, "missing"), nil, "", time.Now()); got.Entries != nil || got.Instructions != nil {
		t.Errorf("a folder that is missing has %+v", got)
	}
}
