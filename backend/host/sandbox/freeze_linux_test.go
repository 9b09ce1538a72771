package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/waittest"
)

// startReading starts a command and returns what it prints.
func startReading(t *testing.T, s *sandbox.Supervisor, c process.Command) (process.Process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	c.Files = []*os.File{nil, w, w}
	p, err := s.Start(t.Context(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return p, bufio.NewReader(r)
}

func wantLine(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	if line, err := r.ReadString('\n'); line != want+"\n" {
		t.Fatalf("%q, %v; want %q", line, err, want)
	}
}

// frozenCheck is a check during which the agent is frozen. The script can wait for release.
func frozenCheck(w sandbox.Spec, script string) process.Command {
	c := check(w, script)
	c.FreezeAgent = true
	return c
}

// makeRelease makes a named pipe in the goal's folder. A script waits with "read x < NAME" until release is called. It
// can wait only once, because a second read may still find the first writer.
func makeRelease(t *testing.T, w sandbox.Spec, name string) (release func()) {
	t.Helper()
	path := filepath.Join(w.Dir, name)
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(path, []byte("x\n"), 0); err != nil {
			t.Error(err)
		}
	}
}

// TestFreezeAgent_WhileACheckRuns_NothingOfTheAgentRuns: a program that changes a file all the time stops doing so
// while the check runs, and continues afterwards.
func TestFreezeAgent_WhileACheckRuns_NothingOfTheAgentRuns(t *testing.T) {
	const reads = `a=$(cat n); for i in 1 2 3 4 5 6 7 8 9 10; do ` +
		`sleep 0.02; [ "$(cat n)" = "$a" ] || { echo changed; exit 1; }; done`
	for name, script := range map[string]string{
		"a loop": `python3 -c 'import time
n = 0
while True:
    n += 1; open("n", "w").write(str(n)); time.sleep(0.001)'`,
		"threads": `python3 -c 'import threading, time
def work(k):
    while True: open("n", "w").write(str(time.time())); time.sleep(0.001)
for k in range(8): threading.Thread(target=work, args=(k,)).start()'`,
		"a chain of forks": `python3 -c 'import os, time
while True:
    open("n", "w").write(str(time.time()))
    if os.fork(): os._exit(0)'`,
		"shells that start programs": `loop() { while :; do date +%N > n; done; }; for i in 1 2 3 4; do loop & done; wait`,
		"a fork bomb": `ulimit -p 60; exec python3 -c 'import os, time
while True:
    open("n", "w").write(str(time.time()))
    try: os.fork()
    except BlockingIOError: time.sleep(0.01)'`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			w.Limits = &sandbox.ResourceLimits{Processes: 100}
			s := openSandbox(t, w)
			p, err := s.Start(t.Context(), inside(w, "exec 2>/dev/null; "+script))
			if err != nil {
				t.Fatal(err)
			}
			if _, status := output(t, s, check(w, "until [ -s n ]; do sleep 0.01; done")); status.Code != 0 {
				t.Fatal(status)
			}
			for range 3 {
				if text, status := output(t, s, frozenCheck(w, reads)); status.Code != 0 || text != "" {
					t.Errorf("%q %v", text, status)
				}
				changes := check(w, `a=$(cat n); until [ "$(cat n)" != "$a" ]; do :; done`)
				if text, status := output(t, s, changes); status.Code != 0 {
					t.Errorf("afterwards: %q %v", text, status)
				}
			}
			if err := p.Signal(unix.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Error(err)
			}
		})
	}
}

// TestFreezeAgent_StoppedBefore_StaysStopped: a program that the agent itself stopped is not continued.
func TestFreezeAgent_StoppedBefore_StaysStopped(t *testing.T) {
	w := newSpec(t)
	release := makeRelease(t, w, "release")
	s := openSandbox(t, w)
	const state = `state() { sed "s/.*) \\(.\\).*/\\1/" /proc/$1/stat; }; `
	p, said := startReading(t, s, inside(w, state+`sleep 1000 & a=$!; sleep 1000 & b=$!; kill -STOP $a
		until [ $(state $a) = T ]; do :; done; echo ready; read x < release; echo $(state $a) $(state $b); kill -KILL $a $b`))
	wantLine(t, said, "ready")
	if _, status := output(t, s, frozenCheck(w, "true")); status.Code != 0 {
		t.Fatal(status)
	}
	release()
	wantLine(t, said, "T S")
	wait(t, p)
}

// TestFreezeAgent_TwoChecks_AreCounted: the programs run again after the second check.
func TestFreezeAgent_TwoChecks_AreCounted(t *testing.T) {
	w := newSpec(t)
	release := makeRelease(t, w, "release")
	s := openSandbox(t, w)
	long, said := startReading(t, s, frozenCheck(w, "echo begun; read x < release"))
	wantLine(t, said, "begun")
	if _, status := output(t, s, frozenCheck(w, "true")); status.Code != 0 {
		t.Fatal(status)
	}
	type started struct {
		p   process.Process
		err error
	}
	starts := make(chan started, 1)
	go func() {
		p, err := s.Start(t.Context(), inside(w, "touch ran"))
		starts <- started{p, err}
	}()
	if text, status := output(t, s, frozenCheck(w, "sleep 0.1; ls ran 2>/dev/null")); text != "" {
		t.Errorf("the agent's program ran: %q %v", text, status)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Start(ctx, inside(w, "true")); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that is given up: %v", err)
	}
	release()
	wait(t, long)
	got := <-starts
	if got.err != nil {
		t.Fatal(got.err)
	}
	wait(t, got.p)
	if !there(filepath.Join(w.Dir, "ran"))() {
		t.Error("the program has not run")
	}
}

// TestFreezeAgent_ForegroundJob_StaysInTheForeground: an interactive shell does not report its foreground job as
// stopped.
func TestFreezeAgent_ForegroundJob_StaysInTheForeground(t *testing.T) {
	w := newSpec(t)
	release := makeRelease(t, w, "release")
	s := openSandbox(t, w)
	c := inside(w, "")
	c.Argv = []string{"bash", "--norc", "--noprofile", "-i"}
	p, master, err := s.StartTerminal(t.Context(), c, 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	typed := "sh -c 'touch begun; read x < release; exit 7'; echo ended=$?; exit\n"
	if _, err := io.WriteString(master, typed); err != nil {
		t.Fatal(err)
	}
	output(t, s, check(w, "until [ -e begun ]; do sleep 0.01; done"))
	for range 5 {
		if text, status := output(t, s, frozenCheck(w, "true")); status.Code != 0 {
			t.Fatal(text, status)
		}
	}
	release()
	text, _ := io.ReadAll(master) // ends with EIO
	wait(t, p)
	_ = master.Close()
	if !strings.Contains(string(text), "ended=7") || strings.Contains(string(text), "Stopped") {
		t.Errorf("%s", text)
	}
}

// TestFreezeAgent_CheckFailsToStart_Thaws also checks that the programs are thawed after the check is killed, and that
// the sandbox can be closed during a freeze.
func TestFreezeAgent_CheckFailsToStart_Thaws(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	runs := func(when string) {
		t.Helper()
		if text, status := output(t, s, inside(w, "echo runs")); text != "runs\n" {
			t.Errorf("%s: %q %v", when, text, status)
		}
	}
	missing := frozenCheck(w, "")
	missing.Argv = []string{"/nowhere"}
	if _, err := s.Start(t.Context(), missing); err == nil {
		t.Error("it started")
	}
	runs("a program that is missing")
	p, said := startReading(t, s, frozenCheck(w, "echo begun; sleep 1000"))
	wantLine(t, said, "begun")
	if err := p.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
	runs("a check that was killed")
	_, said = startReading(t, s, frozenCheck(w, "echo begun; sleep 1000"))
	wantLine(t, said, "begun")
	closing, cancel := context.WithTimeout(t.Context(), waittest.Scale(time.Minute))
	defer cancel()
	if err := s.Close(closing); err != nil {
		t.Error(err)
	}
}

// TestFreezeAgent_OfAnotherCommand_IsRefused: only a check in a sandbox freezes the agent.
func TestFreezeAgent_OfAnotherCommand_IsRefused(t *testing.T) {
	w := newSpec(t)
	agent := inside(w, "true")
	agent.FreezeAgent = true
	if _, err := openSandbox(t, w).Start(t.Context(), agent); err == nil {
		t.Error("a program of the agent froze the agent")
	}
	if _, err := open(t).Start(t.Context(), frozenCheck(w, "true")); err == nil {
		t.Error("a launcher without a sandbox froze the agent")
	}
}

// TestFreezeAgent_CheckConnects_ServerRuns: a frozen server runs again when a check connects to its port or to its
// socket in the goal's folder, and answers it. A check that asks nobody leaves it frozen.
func TestFreezeAgent_CheckConnects_ServerRuns(t *testing.T) {
	for name, server := range map[string]struct{ bind, connect string }{
		"a port": {
			`s = socket.socket(); s.bind(("127.0.0.1", 0)); open("port", "w").write(str(s.getsockname()[1]))`,
			`s = socket.socket(); s.connect(("127.0.0.1", int(open("port").read())))`,
		},
		"a socket": {
			`s = socket.socket(socket.AF_UNIX); s.bind("sock")`,
			`s = socket.socket(socket.AF_UNIX); s.connect("sock")`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			s := openSandbox(t, w)
			p, said := startReading(t, s, inside(w, `exec python3 -c 'import socket, time
`+server.bind+`
s.listen()
print("listens", flush=True)
while True: s.accept()[0].sendall(b"hello")'`))
			wantLine(t, said, "listens")
			f, err := s.FreezeAgent(t.Context())
			if err != nil || !f.Listens() {
				t.Fatalf("listens %v, %v", f != nil && f.Listens(), err)
			}
			ask := func(command string) string {
				c := inside(w, command)
				c.Domain, c.Trace = process.DomainCheck, true
				out, err := process.Capture(t.Context(), s, c, false)
				if err != nil {
					t.Fatal(err)
				}
				return string(out.Stdout) + string(out.Stderr)
			}
			if got := ask("echo alone"); got != "alone\n" || f.WasEnded() {
				t.Errorf("a check that asks nobody: %q, ended %v", got, f.WasEnded())
			}
			got := ask("python3 -c 'import socket\n" + server.connect + "\nprint(s.recv(9).decode())'")
			if got != "hello\n" || !f.WasEnded() {
				t.Errorf("a check that asks the server: %q, ended %v", got, f.WasEnded())
			}
			f.Thaw()
			if err := p.Signal(unix.SIGKILL); err != nil {
				t.Error(err)
			}
			wait(t, p)
		})
	}
}

// TestSealFolder_ProgramsThatRun_CannotWrite: a running program cannot write by a path or through a folder that it has
// open. If a program has a file open for writing, the folder is not sealed.
func TestSealFolder_ProgramsThatRun_CannotWrite(t *testing.T) {
	w := newSpec(t)
	closeFile, write := makeRelease(t, w, "close"), makeRelease(t, w, "write")
	s := openSandbox(t, w)
	p, said := startReading(t, s, inside(w, `mkdir sub; cd sub; exec 3> open; echo ready; read x < ../close; exec 3>&-
		echo closed; read x < ../write; echo x > relative; echo x > `+w.Dir+`/absolute; mv ../sub ../moved
		echo tried`))
	wantLine(t, said, "ready")
	if err := s.SealFolder(t.Context(), w.Dir); !errors.Is(err, sandbox.ErrFolderBusy) {
		t.Errorf("with an open file: %v", err)
	}
	closeFile()
	wantLine(t, said, "closed")
	if err := s.SealFolder(t.Context(), w.Dir); err != nil {
		t.Fatal(err)
	}
	write()
	var text string
	for !strings.HasSuffix(text, "tried\n") {
		line, err := said.ReadString('\n')
		if text += line; err != nil {
			t.Fatalf("%q, %v", text, err)
		}
	}
	wait(t, p)
	if err := s.UnsealFolder(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, said = startReading(t, s, inside(w, `echo x > again && echo over`))
	wantLine(t, said, "over")
	wait(t, p)
	for _, name := range []string{"sub/relative", "absolute", "moved"} {
		if there(filepath.Join(w.Dir, name))() {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{"sub/open", "again"} {
		if !there(filepath.Join(w.Dir, name))() {
			t.Errorf("%s is missing", name)
		}
	}
}
