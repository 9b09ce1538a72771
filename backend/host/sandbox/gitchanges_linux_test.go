package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/host/sandbox/autorun"
	"goalpost/backend/host/sandbox/mounts"
)

// TestGitChanges_HostileCopies_AreNotFollowed: large files are not read as a whole, and pipes do not block.
func TestGitChanges_HostileCopies_AreNotFollowed(t *testing.T) {
	layer, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(secret, []byte("canary\n"), 0o600))
	for _, dir := range []string{"git/hooks", "git-start/hooks"} {
		must(os.MkdirAll(filepath.Join(layer, dir), 0o755))
		must(os.WriteFile(filepath.Join(layer, dir, "kept"), []byte("x\n"), 0o755))
		must(os.WriteFile(filepath.Join(layer, dir, "large"), make([]byte, 1<<20), 0o755))
	}
	hooks := filepath.Join(layer, "git", "hooks")
	must(os.WriteFile(filepath.Join(hooks, "kept"), []byte("x\nevil\n"), 0o755))
	must(os.WriteFile(filepath.Join(hooks, "big"), nil, 0o755))
	must(os.Truncate(filepath.Join(hooks, "big"), 3<<30))
	must(syscall.Mkfifo(filepath.Join(hooks, "pipe"), 0o755))
	must(os.Symlink(secret, filepath.Join(hooks, "link")))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := strings.Join(autorun.DiffGitCopies(layer, "/project"), "\n")
	runtime.ReadMemStats(&after)
	for _, want := range []string{
		`/project/.git/hooks/kept: added "evil"`,
		"/project/.git/hooks/big: now has 3221225472 bytes",
		"/project/.git/hooks/pipe: is no longer a file",
		"/project/.git/hooks/link: is no longer a file",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "canary") || strings.Contains(got, "large") {
		t.Errorf("said too much:\n%s", got)
	}
	if read := after.TotalAlloc - before.TotalAlloc; read > 64<<20 {
		t.Errorf("%d bytes were taken for a look", read)
	}
}

// TestRepositorySearch_LimitReached_IsReported: the goal can reach the real hooks of repositories beyond the limit.
func TestRepositorySearch_LimitReached_IsReported(t *testing.T) {
	many, full := t.TempDir(), t.TempDir()
	for i := range 101 {
		if err := os.MkdirAll(filepath.Join(many, fmt.Sprint(i), ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20_001 {
		if err := os.WriteFile(filepath.Join(full, fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, cut := mounts.GitControlledPaths(t.TempDir(), many, full)
	if len(cut) != 2 || !strings.HasPrefix(cut[0], many) || !strings.Contains(cut[0], "100 repositories") ||
		!strings.HasPrefix(cut[1], full) || !strings.Contains(cut[1], "20000 names") {
		t.Errorf("said: %q", cut)
	}
}
