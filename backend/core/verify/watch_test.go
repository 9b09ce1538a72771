package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/waittest"
)

// asLong returns a check that runs the command while the file of beside is swapped, and that ends after beside has
// restored the file.
func asLong(command string) string {
	wait := func(for_ string) string { return "while [ ! -e " + for_ + " ]; do sleep 0.02; done; " }
	return ": > begun; " + wait("swapped") + command + "; r=$?; : > decided; " + wait("undone") +
		"rm -f begun swapped decided undone; exit $r"
}

// beside swaps a file during each run of a check, and restores it before the run ends.
func beside(ctx context.Context, t *testing.T, dir string, swap, undo func()) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	exists := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	there := func(name string) bool {
		return waittest.Reached(ctx, time.Minute, func() bool { return exists(name) })
	}
	go func() {
		defer close(over)
		for there("begun") {
			swap()
			_ = os.WriteFile(filepath.Join(dir, "swapped"), nil, 0o600)
			if !there("decided") {
				return
			}
			undo()
			_ = os.WriteFile(filepath.Join(dir, "undone"), nil, 0o600)
			// The check removes its own marker files.
			waittest.Reached(ctx, time.Minute, func() bool { return !exists("undone") })
		}
	}()
	return func() { cancel(); <-over }
}

// TestWatch_FileSwappedDuringCheck_IsNoPass: a file that decides is changed only while the check runs.
func TestWatch_FileSwappedDuringCheck_IsNoPass(t *testing.T) {
	for _, c := range []struct {
		name, archive, command string
		file, text             string // the file and its text while the check decides
		where                  string
	}{
		{"a script outside the sandbox", "-- check.sh --\nexit 1\n", "sh check.sh", "check.sh", "exit 0\n", "host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folderOf(t, c.archive)
			h := host(t)
			h.Environment.Dir, h.Environment.Outside = dir, h.Environment.Launcher
			k := shell(asLong(c.command))
			k.Where = c.where
			crit := goal.Criterion{Checks: []goal.Check{k}}
			h.Folder = world(t, verify.Options{Dir: dir, Private: filepath.Join(t.TempDir(), "p"), Criterion: crit})
			at := filepath.Join(dir, filepath.FromSlash(c.file))
			before, existed := os.ReadFile(at)
			stop := beside(t.Context(), t, dir, func() {
				_ = os.MkdirAll(filepath.Dir(at), 0o755)
				_ = os.WriteFile(at, []byte(c.text), 0o600)
			}, func() {
				if existed == nil {
					_ = os.WriteFile(at, before, 0o600)
				} else {
					_ = os.Remove(at)
				}
			})
			defer stop()
			v := one(t, h, k)
			if v.Outcome != goal.CheckErr || !strings.Contains(v.Detail, "changed while the check ran") || v.Tries != 2 {
				t.Errorf("the verdict is %s, %q after %d tries", v.Outcome, v.Detail, v.Tries)
			}
			if diff, err := h.Folder.Tampered(t.Context()); err != nil || diff != "" {
				t.Errorf("afterwards: %q, %v", diff, err)
			}
		})
	}
}

// TestWatch_WorkChangesDuringCheck_Passes: the check itself may also create files.
func TestWatch_WorkChangesDuringCheck_Passes(t *testing.T) {
	dir := folderOf(t,
		"-- Makefile --\n.PHONY: test\ntest:\n\t@mkdir -p out/deep && cp a.txt out/deep/b.txt\n-- a.txt --\n1\n")
	h := host(t)
	h.Environment.Dir = dir
	command := asLong("make test")
	h.Folder = world(t, verify.Options{Dir: dir, Private: filepath.Join(t.TempDir(), "p"), Criterion: criterion(command)})
	n := 0
	stop := beside(t.Context(), t, dir, func() { n++; write(t, dir, "a.txt", strings.Repeat("2", n)) }, func() {})
	defer stop()
	if v := one(t, h, shell(command)); v.Outcome != goal.Pass || v.Detail != "exit 0" {
		t.Errorf("the verdict is %s, %q", v.Outcome, v.Detail)
	}
}
