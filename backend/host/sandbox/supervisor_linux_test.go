package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
)

const plainPath = "PATH=/usr/local/bin:/usr/bin:/bin"

// endsAtOnce is a variable for this test program when a test starts it: otherwise the race detector would make it
// sleep for a second before its end.
const endsAtOnce = "GORACE=atexit_sleep_ms=0"

// TestMain can also run as the owner that TestSupervisor_OwnerKilled_EndsItsPrograms kills.
func TestMain(m *testing.M) {
	if os.Getenv("SANDBOX_TEST_OWNER") != "" {
		owner()
		return
	}
	if name := os.Getenv(attemptVariable); name != "" {
		attempted(name, os.Args[1:])
		return
	}
	goleak.VerifyTestMain(m)
}

func open(tb testing.TB) *sandbox.Supervisor {
	tb.Helper()
	s, err := sandbox.Open(context.Background(), sandbox.Options{Helper: sandboxtest.Helper(tb), Name: tb.Name()})
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

func sh(script string, args ...string) process.Command {
	return process.Command{Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: []string{plainPath}, Dir: "/"}
}

// output runs a command to its end and returns what it wrote.
func output(tb testing.TB, s *sandbox.Supervisor, c process.Command) (string, process.Status) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	c.Files = []*os.File{nil, w, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	wait(tb, p)
	return string(text), p.Status()
}

func wait(tb testing.TB, p process.Process) {
	tb.Helper()
	select {
	case <-p.Done():
	case <-time.After(waittest.Scale(time.Minute)):
		tb.Fatalf("process %d does not end", p.Pid())
	}
}

// gone waits until the kernel reports that a process has ended.
func gone(tb testing.TB, pid int) {
	tb.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20_000)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			tb.Fatalf("process %d is still there (%v)", pid, err)
		}
		return
	}
}

func TestStatus_EachExit_IsReported(t *testing.T) {
	s := open(t)
	for script, want := range map[string]process.Status{
		"exit 0":        {},
		"exit 7":        {Code: 7},
		"exit 255":      {Code: 255},
		"kill -TERM $$": {Code: -1, Signal: syscall.SIGTERM},
		"kill -KILL $$": {Code: -1, Signal: syscall.SIGKILL},
	} {
		if _, got := output(t, s, sh(script)); got != want {
			t.Errorf("%s: %v, want %v", script, got, want)
		}
	}
}

func TestStatus_OutputStillOpen_IsKnown(t *testing.T) {
	s := open(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh("sleep 1000 & exit 3")
	c.Files = []*os.File{nil, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	wait(t, p) // the sleep still holds the pipe open
	if p.Status().Code != 3 {
		t.Error(p.Status())
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to an ended program: %v", err)
	}
}

func TestSignal_Children_ReceiveIt(t *testing.T) {
	s := open(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh("sh -c 'echo $$; exec sleep 1000' & wait")
	c.Files = []*os.File{nil, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	child := readPid(t, bufio.NewReader(r))
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	gone(t, child)
	if p.Status().Signal != syscall.SIGTERM {
		t.Error(p.Status())
	}
}

func readPid(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestOpen_WrongHelper_SaysWhy(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("#!/bin/sh\necho wrong program >&2; exit 4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{other: "wrong program", filepath.Join(dir, "none"): "no such file"} {
		_, err := sandbox.Open(context.Background(), sandbox.Options{Helper: path, Name: "test"})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
	}
}

func TestHelper_StartedByHand_Refuses(t *testing.T) {
	var said bytes.Buffer
	c := exec.Command(sandboxtest.Helper(t))
	c.Stderr = &said
	if err := c.Run(); err == nil || !strings.Contains(said.String(), "no use of its own") {
		t.Errorf("%v %q", err, said.String())
	}
}
