package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
)

// escape starts a grandchild in a session of its own, whose parents have ended.
const escape = `setsid sh -c 'sh -c "echo \$\$; exec sleep 1000" & exit' & exit 0`

func TestClose_Grandchildren_AreEnded(t *testing.T) {
	s := open(t)
	text := startEscape(t, s)
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(text, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after Close: %v", text, err)
	}
	if _, err := s.Start(context.Background(), sh("true")); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("start on a closed set: %v", err)
	}
}

func startEscape(t *testing.T, s *sandbox.Supervisor) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh(escape)
	c.Files = []*os.File{nil, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	return readPid(t, bufio.NewReader(r))
}

// owner is this test binary as an app: it starts a child and a grandchild that
// escaped, writes their pids and waits to be killed.
func owner() {
	ctx := context.Background()
	s, err := sandbox.Open(ctx, sandbox.Options{Helper: os.Getenv("SANDBOX_TEST_OWNER"), Name: "owner"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, script := range []string{"echo $PPID; exec true", "echo $$; exec sleep 1000", escape} {
		c := sh(script)
		c.Files = []*os.File{nil, os.Stdout}
		if _, err := s.Start(ctx, c); err != nil {
			fmt.Println(err)
			return
		}
	}
	select {}
}

func TestSupervisor_OwnerKilled_EndsItsPrograms(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := exec.Command(os.Args[0])
	o.Env = append(os.Environ(), "SANDBOX_TEST_OWNER="+sandboxtest.Helper(t))
	o.Stdout = w
	if err := errors.Join(o.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(r)
	var pids []int
	for range 3 { // the helper, a child, a grandchild, in any order
		pids = append(pids, readPid(t, lines))
	}
	if err := o.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.Wait() // the error is "signal: killed"
	for _, pid := range pids {
		gone(t, pid)
	}
}

// TestSignal_KilledShell_PrintsNothing: a killed shell does not report the end of its child, and the end of the shell
// is noticed. It is tried many times, because the first process of the sandbox, whose filter handles kill, once waited
// for itself in one of fifty cases.
func TestSignal_KilledShell_PrintsNothing(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	for range 30 {
		r, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := inside(w, `sh -c "echo there; exec sleep 1000"; true`)
		c.Files = []*os.File{nil, to, to}
		p, err := s.Start(context.Background(), c)
		if err := errors.Join(err, to.Close()); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(r)
		if first, err := lines.ReadString('\n'); first != "there\n" {
			t.Fatalf("%q %v", first, err)
		}
		if err := p.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
			t.Errorf("after it was killed: %q %v", rest, err)
		}
		wait(t, p)
		_ = r.Close() // read to its end
	}
}

func TestSupervisor_HelperKilled_IsClosed(t *testing.T) {
	s := open(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh("echo $PPID; exec sleep 1000")
	c.Files = []*os.File{nil, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(readPid(t, bufio.NewReader(r)), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	<-s.Done()
	gone(t, p.Pid())
	if want := (process.Status{Code: -1, Signal: syscall.SIGKILL}); p.Status() != want {
		t.Error(p.Status())
	}
	if s.Err() == nil || !strings.Contains(s.Err().Error(), "killed") {
		t.Errorf("the set says %v", s.Err())
	}
	if _, err := s.Start(context.Background(), sh("true")); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("start after the helper died: %v", err)
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
}

// TestClose_EndlessForks_AreEnded: a program that forks again and again has ended before its process can be found and
// killed.
func TestClose_EndlessForks_AreEnded(t *testing.T) {
	s := open(t)
	script := filepath.Join(t.TempDir(), "runaway")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho x\nsetsid \"$0\" &\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = s.Start(context.Background(), process.Command{
		Argv: []string{script}, Env: []string{plainPath}, Dir: "/", Files: []*os.File{nil, w},
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 40)); err != nil { // the program has started
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(20*time.Second))
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	// Only the program and its descendants hold the pipe open, so the pipe ends with the last of them.
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
	}
}

func TestOrphans_Killed_AreReaped(t *testing.T) {
	s := open(t)
	pid := startEscape(t, s)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// A signal to a zombie would still succeed.
	waittest.Until(t, "end of the orphan", func() bool { return syscall.Kill(pid, 0) != nil })
}
