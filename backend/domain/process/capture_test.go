package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func launcher(tb testing.TB) process.Launcher {
	tb.Helper()
	s, err := sandbox.Open(tb.Context(), sandbox.Options{Helper: sandboxtest.Helper(tb), Name: tb.Name()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func sh(script string) process.Command {
	return process.Command{
		Argv: []string{"sh", "-c", script},
		Env:  []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		Dir:  "/",
	}
}

// capture runs a program with a timeout far longer than the program needs, to find runs that hang.
func capture(tb testing.TB, l process.Launcher, c process.Command, merge bool) process.Output {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), waittest.Scale(time.Minute))
	defer cancel()
	out, err := process.Capture(ctx, l, c, merge)
	if err != nil {
		tb.Fatal(err)
	}
	if out.TimedOut {
		tb.Fatalf("it hung: %+v", out)
	}
	return out
}

func TestCapture_EachEnd_HasItsStatus(t *testing.T) {
	l := launcher(t)
	for script, want := range map[string]struct {
		status process.Status
		words  string
	}{
		"true":                {process.Status{}, "exit 0"},
		"exit 7":              {process.Status{Code: 7}, "exit 7"},
		"no-such-word":        {process.Status{Code: 127}, "exit 127"},
		"kill -TERM $$":       {process.Status{Code: -1, Signal: syscall.SIGTERM}, "ended by signal 15 (terminated)"},
		"kill -KILL $$":       {process.Status{Code: -1, Signal: syscall.SIGKILL}, "ended by signal 9 (killed)"},
		"exec sh -c 'exit 3'": {process.Status{Code: 3}, "exit 3"},
	} {
		t.Run(script, func(t *testing.T) {
			out := capture(t, l, sh(script), true)
			if out.Status != want.status || out.Status.String() != want.words {
				t.Errorf("%+v, %s", out.Status, out.Status)
			}
			if out.Took <= 0 {
				t.Errorf("it took %s", out.Took)
			}
		})
	}
}

func TestCapture_Streams_AreSeparateOrMerged(t *testing.T) {
	l := launcher(t)
	const script = "echo one; echo two >&2; echo three; echo four >&2"
	apart := capture(t, l, sh(script), false)
	if string(apart.Stdout) != "one\nthree\n" || string(apart.Stderr) != "two\nfour\n" || apart.Bytes != 19 {
		t.Errorf("apart: %q and %q, %d bytes", apart.Stdout, apart.Stderr, apart.Bytes)
	}
	merged := capture(t, l, sh(script), true)
	if string(merged.Stdout) != "one\ntwo\nthree\nfour\n" || merged.Stderr != nil || merged.Bytes != 19 {
		t.Errorf("merged: %q and %q, %d bytes", merged.Stdout, merged.Stderr, merged.Bytes)
	}
	silent := capture(t, l, sh("true"), false)
	if len(silent.Stdout)+len(silent.Stderr) > 0 || silent.Bytes != 0 {
		t.Errorf("%+v of a program that says nothing", silent)
	}
}

// TestCapture_ProgramReads_GetsEndOfFile: a captured program does not read from Goalpost's own standard input.
func TestCapture_ProgramReads_GetsEndOfFile(t *testing.T) {
	if out := capture(t, launcher(t), sh("read line; echo $?"), true); string(out.Stdout) != "1\n" {
		t.Errorf("%q", out.Stdout)
	}
}

func TestCapture_LongOutput_LosesItsMiddle(t *testing.T) {
	l := launcher(t)
	for _, size := range []int{
		process.MaxCapture - 1, process.MaxCapture, process.MaxCapture + 1,
		process.MaxCapture*3/2 + 1, 3 << 20,
	} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			want := lines(size)
			file := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(file, want, 0o600); err != nil {
				t.Fatal(err)
			}
			out := capture(t, l, sh("cat "+file), false)
			if out.Bytes != int64(size) {
				t.Errorf("%d bytes", out.Bytes)
			}
			if size <= process.MaxCapture {
				if !bytes.Equal(out.Stdout, want) {
					t.Errorf("%d bytes came back changed", size)
				}
				return
			}
			half := process.MaxCapture / 2
			note := fmt.Sprintf("\n… %d bytes left out …\n", size-process.MaxCapture)
			whole := append(append(bytes.Clone(want[:half]), note...), want[size-half:]...)
			if !bytes.Equal(out.Stdout, whole) {
				t.Errorf("%d bytes: not the first and the last half with %q between", len(out.Stdout), note)
			}
		})
	}
}

// lines returns text in which every line is different.
func lines(size int) []byte {
	var b bytes.Buffer
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, "line %d\n", n)
	}
	return b.Bytes()[:size]
}

// TestCapture_ContextEnds_EndsTheSession: the program's grandchildren are ended, too; SIGKILL ends one that ignores
// SIGTERM, although its parent has ended.
func TestCapture_ContextEnds_EndsTheSession(t *testing.T) {
	l := &telling{Launcher: launcher(t), started: make(chan struct{})}
	fifo := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := make(chan int, 1)
	var reader sync.WaitGroup
	reader.Go(func() { // the first line arrives once the grandchild runs
		defer cancel()
		b, err := os.ReadFile(fifo)
		n, err2 := strconv.Atoi(strings.TrimSpace(string(b)))
		if err := errors.Join(err, err2); err != nil {
			t.Error(err)
		}
		pid <- n
		<-l.started // the program may write before Start has returned
	})
	out, err := process.Capture(ctx, l, sh("echo before; trap 'echo cleaned; exit 3' TERM; "+
		"(trap '' TERM; sleep 1000 & echo $! >"+fifo+"; wait) & wait"), true)
	if err != nil {
		t.Fatal(err)
	}
	reader.Wait()
	if !out.TimedOut || out.Status.Code != 3 || string(out.Stdout) != "before\ncleaned\n" {
		t.Errorf("%+v", out)
	}
	gone(t, <-pid)
}

// telling closes started when a program has been started.
type telling struct {
	process.Launcher
	started chan struct{}
}

func (t *telling) Start(ctx context.Context, c process.Command) (process.Process, error) {
	p, err := t.Launcher.Start(ctx, c)
	close(t.started)
	return p, err
}

// gone waits until a process has ended (a zombie has ended).
func gone(tb testing.TB, pid int) {
	tb.Helper()
	waittest.Until(tb, fmt.Sprintf("end of process %d", pid), func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(b, []byte(") Z ")) || bytes.Contains(b, []byte(") X "))
	})
}

// TestCapture_BackgroundChild_DoesNotDelayTheEnd: a child in the background still holds the pipe open after the
// program has ended.
func TestCapture_BackgroundChild_DoesNotDelayTheEnd(t *testing.T) {
	l := launcher(t)
	for _, merge := range []bool{true, false} {
		out := capture(t, l, sh("echo out; sleep 1000 & exit 4"), merge)
		if out.Status.Code != 4 || string(out.Stdout) != "out\n" {
			t.Errorf("merge %v: %+v", merge, out)
		}
	}
}

// TestCaptureLasting_ProgramLeft_IsReadAndListed: its later output has a reader, whether or not that is the pipe.
func TestCaptureLasting_ProgramLeft_IsReadAndListed(t *testing.T) {
	l := launcher(t)
	fifo := filepath.Join(t.TempDir(), "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	const line = "read line <%s; for n in 1 2 3; do echo later $n || exit 1; done"
	out, left, err := process.CaptureLasting(t.Context(), l, sh("("+fmt.Sprintf(line, fifo)+") & echo now"))
	if err != nil || string(out.Stdout) != "now\n" || left == nil || !left.Runs(t.Context()) {
		t.Fatalf("%+v, %v, %v", out, left, err)
	}
	if programs := left.Programs(t.Context()); len(programs) != 1 || !strings.Contains(programs[0], "later") {
		t.Errorf("%q", programs)
	}
	if err := os.WriteFile(fifo, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "its end", func() bool { return !left.Runs(t.Context()) })
	if newest := string(left.Newest()); newest != "later 1\nlater 2\nlater 3\n" {
		t.Errorf("%q", newest)
	}
	for script, want := range map[string]string{"sleep 1000 >/dev/null 2>&1 &": "sleep 1000", "true": ""} {
		_, left, err := process.CaptureLasting(t.Context(), l, sh(script))
		if got := strings.Join(left.Programs(t.Context()), ""); err != nil || got != want {
			t.Errorf("%s: %q, %v", script, got, err)
		}
	}
}

func TestCapture_CannotStart_SaysWhy(t *testing.T) {
	l := launcher(t)
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		command process.Command
		is      error
		says    string
	}{
		"missing program": {t.Context(), process.Command{
			Argv: []string{"no-such-program"},
			Env:  sh("").Env,
			Dir:  "/",
		}, os.ErrNotExist, "no-such-program"},
		"missing folder": {t.Context(), process.Command{
			Argv: []string{"true"},
			Env:  sh("").Env,
			Dir:  "/no/such/folder",
		}, os.ErrNotExist, "/no/such/folder"},
		"not executable": {t.Context(), process.Command{
			Argv: []string{text},
			Env:  sh("").Env,
			Dir:  "/",
		}, os.ErrPermission, text},
		"cancelled": {cancelled, sh("true"), context.Canceled, "start sh"},
	} {
		t.Run(name, func(t *testing.T) {
			before := descriptors(t)
			for _, merge := range []bool{true, false} {
				_, err := process.Capture(c.ctx, l, c.command, merge)
				if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %v about %s", err, c.is, c.says)
				}
			}
			if after := descriptors(t); after != before {
				t.Errorf("%d descriptors are left open", after-before)
			}
		})
	}
}

func descriptors(tb testing.TB) int {
	tb.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Fatal(err)
	}
	return len(all)
}

// TestCapture_ManyAtOnce_DoNotMix also checks that no descriptor stays open.
func TestCapture_ManyAtOnce_DoNotMix(t *testing.T) {
	l := launcher(t)
	capture(t, l, sh("true"), false)
	before := descriptors(t)
	var all sync.WaitGroup
	for n := range 12 {
		all.Go(func() {
			word := strings.Repeat(strconv.Itoa(n%10), 1000)
			out, err := process.Capture(t.Context(), l, sh("echo "+word+"; echo "+word+" >&2; exit "+strconv.Itoa(n)), false)
			if err != nil || string(out.Stdout) != word+"\n" || string(out.Stderr) != word+"\n" || out.Status.Code != n {
				t.Errorf("program %d: %+v, %v", n, out.Status, err)
			}
		})
	}
	all.Wait()
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors are left open", after-before)
	}
}
