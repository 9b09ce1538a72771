package faults_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// folderFaults take the goal's folder away while the goal runs, or let its user find something else there afterwards.
func folderFaults() (list []fault) {
	for name, damage := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+"-moved") },
		"removed and made again": func(dir string) error {
			if err := os.Rename(dir, dir+"-old"); err != nil {
				return err
			}
			return os.CopyFS(dir, os.DirFS(dir+"-old"))
		},
	} {
		list = append(list, fault{"folder", name, false, func(t *testing.T) string {
			w := newWork(t, 3)
			w.actBefore(func(turn int) {
				if turn == 1 {
					w.before = nil
					if err := damage(w.dir); err != nil {
						t.Error(err)
					}
				}
			})
			a := w.goalctl(t, w.runArgs()...)
			if problem := a.expect(exitNeedsUser, "folder"); problem != "" {
				return problem
			}
			if name != "removed and made again" {
				return ""
			}
			return w.goalctl(t, "resume", w.only(t)).expect(exitDone)
		}})
	}
	return append(list,
		fault{"folder", "a hard link to a file outside is undone", false, undoHardLink},
		fault{"folder", "read-only", false, startReadOnly},
		fault{"folder", "nested 126 levels", true, nestDeeply},
		fault{"folder", "full, until the user makes room", true, fillDisk},
		fault{"folder", "used by a goal of another data folder", false, shareFolder},
	)
}

// undoHardLink lets a goal write through a hard link, and undoes it.
func undoHardLink(t *testing.T) string {
	w := newWork(t, 1)
	outside, inside := filepath.Join(w.home, "outside"), filepath.Join(w.dir, "step-0")
	put(t, outside, []byte("before\n"))
	if err := os.Link(outside, inside); err != nil {
		t.Fatal(err)
	}
	w.actBefore(func(int) {
		w.before = nil
		put(t, inside, []byte("after\n")) // as a command of the agent would: through the link
	})
	if problem := w.goalctl(t, w.runArgs()...).expect(exitDone); problem != "" {
		return problem
	}
	a := w.goalctl(t, "undo", w.only(t))
	content, err := os.ReadFile(outside)
	one, err1 := os.Stat(outside)
	other, err2 := os.Stat(inside)
	isSame := err1 == nil && err2 == nil && os.SameFile(one, other)
	switch {
	case err != nil || a.code != 0:
		return tail(a.output)
	case string(content) == "before\n" && isSame, strings.Contains(a.output, "link"):
		return ""
	}
	return "the other name of the file stays changed without a word: " + tail(a.output)
}

// startReadOnly starts a goal that writes on a folder that cannot be written.
func startReadOnly(t *testing.T) string {
	w := newWork(t, 1)
	if os.Getuid() == 0 { // permissions do not hold root
		mount := func(args ...string) error { return exec.CommandContext(t.Context(), "mount", args...).Run() }
		if mount("--bind", w.dir, w.dir) != nil || mount("-o", "remount,bind,ro", w.dir) != nil {
			t.Skip("this machine does not allow a read-only mount")
		}
		defer func() {
			if err := exec.Command("umount", w.dir).Run(); err != nil {
				t.Error(err)
			}
		}()
	} else if err := os.Chmod(w.dir, 0o555); err != nil { //nolint:gosec // which is what the test is about
		t.Fatal(err)
	}
	var asked atomic.Bool
	w.actBefore(func(int) { asked.Store(true) })
	a := w.goalctl(t, w.runArgs()...)
	if asked.Load() {
		return "the model was asked first: " + tail(a.output)
	}
	if a.code == exitDone || !strings.Contains(a.output, "read-only") && !strings.Contains(a.output, "cannot be written") {
		return "it does not say why: " + tail(a.output)
	}
	return ""
}

// nestDeeply looks for the changes of a goal in a folder with few, but deep entries.
func nestDeeply(t *testing.T) string {
	w := newWork(t, 1)
	deep := filepath.Join(w.dir, strings.Repeat("d/", 126))
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if problem := w.goalctl(t, w.runArgs()...).expect(exitDone); problem != "" {
		return problem
	}
	id := w.only(t)
	if problem := w.goalctl(t, "report", id).expect(0, "step-1"); problem != "" {
		return problem
	}
	return w.goalctl(t, "diff", id).expect(0, "step-1")
}

// fillDisk lets the disk of the goal's folder be full in the middle of the goal.
func fillDisk(t *testing.T) string {
	w := newWork(t, 3)
	mount := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=1m", "x", w.dir)
	if os.Getuid() != 0 || mount.Run() != nil {
		t.Skip("only root can make a small disk")
	}
	defer func() {
		if err := exec.Command("umount", w.dir).Run(); err != nil {
			t.Error(err)
		}
	}()
	filler := filepath.Join(w.dir, "filler")
	w.actBefore(func(turn int) {
		if turn == 1 {
			w.before = nil
			_ = os.WriteFile(filler, make([]byte, 2<<20), 0o600) // until nothing is left
		}
	})
	a := w.goalctl(t, w.runArgs()...)
	if a.code == exitDone || !strings.Contains(a.output, "no space left") && !strings.Contains(a.output, "full") {
		return "it does not say why: " + tail(a.output)
	}
	if err := os.Remove(filler); err != nil {
		return err.Error()
	}
	return w.goalctl(t, "resume", w.only(t)).expect(exitDone)
}

// shareFolder starts a goal of another data folder in the folder of a goal that runs. It waits for the first one.
func shareFolder(t *testing.T) string {
	w := newWork(t, 2)
	other := place{w.home + "2", w.dir}
	var second answer
	var waits sync.WaitGroup
	w.actBefore(func(turn int) {
		if turn != 1 {
			return
		}
		w.before = nil
		ctx, cancel := context.WithTimeout(t.Context(), late)
		c := other.command(ctx, w.runArgs()...)
		said := make(chan string, 1)
		out, err := c.StdoutPipe()
		if c.Stderr = c.Stdout; err != nil || c.Start() != nil {
			t.Error("the other goal did not start")
		}
		waits.Go(func() {
			defer cancel()
			var all strings.Builder
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				all.WriteString(lines.Text() + "\n")
				if strings.Contains(lines.Text(), "waiting") {
					select {
					case said <- lines.Text():
					default:
					}
				}
			}
			_ = c.Wait() // its exit code says it
			second = answer{c.ProcessState.ExitCode(), all.String()}
			close(said)
		})
		<-said // that it waits, or its end
	})
	first := w.goalctl(t, w.runArgs()...)
	waits.Wait()
	if problem := first.expect(exitDone); problem != "" {
		return problem
	}
	return second.expect(exitDone, "waiting")
}
