package sandbox

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestInstall_ChangedHelper_IsReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	text := "#!/bin/sh\nexit 0\n" + strings.Repeat("# more than is compared at once\n", 4000)
	body := strings.NewReader(text)
	path, err := installFile(dir, "", helperName, body, crc32.ChecksumIEEE([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"untouched": func() error { return nil },
		"changed":   func() error { return os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o755) },
		"cut":       func() error { return os.Truncate(path, 3) },
		"its end":   func() error { return endWith(path, "X") },
		"longer":    func() error { return os.Truncate(path, body.Size()+1) },
		"mode":      func() error { return os.Chmod(path, 0o777) },
		"link":      func() error { return errors.Join(os.Remove(path), os.Symlink("/bin/sh", path)) },
		"gone":      func() error { return os.Remove(path) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		again, err := installFile(dir, "", helperName, body, crc32.ChecksumIEEE([]byte(text)))
		info, err1 := os.Lstat(path)
		there, err2 := os.ReadFile(path)
		if err := errors.Join(err, err1, err2); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again != path || string(there) != text || info.Mode() != 0o755 {
			t.Errorf("%s: %s holds %d bytes, %s", name, again, len(there), info.Mode())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	other, err := installFile(dir, "", helperName, strings.NewReader("another"), crc32.ChecksumIEEE([]byte("another")))
	if err != nil || other == path {
		t.Errorf("another content: %s %v", other, err)
	}
}

// TestInstall_PackagedHelper_IsUsedIfOnlyRootCanChangeIt needs root to make such files; an ordinary user makes files
// that are not used.
func TestInstall_PackagedHelper_IsUsedIfOnlyRootCanChangeIt(t *testing.T) {
	const text = "#!/bin/sh\n"
	isRoot := os.Geteuid() == 0
	for name, c := range map[string]struct {
		spoil func(dir, path string) error
		used  bool
	}{
		"as installed":         {func(_, _ string) error { return nil }, isRoot},
		"another version":      {func(_, path string) error { return os.WriteFile(path, []byte("older"), 0o755) }, false},
		"writable for others":  {func(_, path string) error { return os.Chmod(path, 0o777) }, false},
		"in a writable folder": {func(dir, _ string) error { return os.Chmod(dir, 0o777) }, false},
		"of another user":      {func(_, path string) error { return os.Chown(path, os.Geteuid()*2+1, -1) }, false},
		"gone":                 {func(_, path string) error { return os.Remove(path) }, false},
		"a link to another one": {func(_, path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path))
		}, false},
	} {
		dir := filepath.Join(t.TempDir(), "package")
		packaged := filepath.Join(dir, helperName)
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(packaged, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := c.spoil(dir, packaged); err != nil && isRoot {
			t.Fatal(err)
		}
		state := filepath.Join(t.TempDir(), "state")
		path, err := installFile(state, dir, helperName, strings.NewReader(text), crc32.ChecksumIEEE([]byte(text)))
		if err != nil || (path == packaged) != c.used {
			t.Errorf("%s: %s is used (%v)", name, path, err)
		}
	}
}

// TestInstall_WhileProgramsStart_HelperRuns: no program that starts in the meantime inherits the open file, because
// the kernel would then refuse to execute it.
func TestInstall_WhileProgramsStart_HelperRuns(t *testing.T) {
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	for range 4 {
		beside.Go(func() {
			for ctx.Err() == nil {
				_ = exec.CommandContext(ctx, "/bin/true").Run() // may be killed when the test ends
			}
		})
	}
	defer func() { stop(); beside.Wait() }()
	dir := t.TempDir()
	for n := range 40 {
		body := append(bytes.Clone(sh), bytes.Repeat([]byte{byte(n)}, 4<<20)...) // as long as a helper; different each time
		path, err := installFile(dir, "", helperName, bytes.NewReader(body), crc32.ChecksumIEEE(body))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := exec.CommandContext(t.Context(), path, "-c",
			"echo started").CombinedOutput(); string(text) != "started\n" {
			t.Fatalf("%q %v", text, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// endWith changes the last bytes of a file, but not its size.
func endWith(path, end string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.Seek(int64(-len(end)), io.SeekEnd)
	if err == nil {
		_, err = f.WriteString(end)
	}
	return errors.Join(err, f.Close())
}

// BenchmarkInstall measures how long each start of the program takes to check the helper that is already installed.
func BenchmarkInstall(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := Install(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func TestInstall_NoEmbeddedHelper_UsesTheVariable(t *testing.T) {
	if _, err := built.ReadFile("embed/" + helperName); err == nil {
		t.Skip("this build has the helper embedded")
	}
	t.Setenv("GOALPOST_HELPER", "")
	if _, err := Install(t.TempDir()); !errors.Is(err, ErrNoHelper) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("%v", err)
	}
	t.Setenv("GOALPOST_HELPER", "/bin/sh")
	if path, err := Install(t.TempDir()); err != nil || path != "/bin/sh" {
		t.Errorf("%s %v", path, err)
	}
}
