package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
)

func TestStart_LeakedDescriptors_AreClosed(t *testing.T) {
	// The webview leaves pipes like this one open: it is not close-on-exec.
	var leaked [2]int
	if err := syscall.Pipe(leaked[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leaked[0])
	defer syscall.Close(leaked[1])
	s := open(t)
	text, _ := output(t, s, sh("ls -l /proc/$$/fd"))
	var fds []string
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 9 {
			fds = append(fds, f[8])
		}
	}
	if got := strings.Join(fds, " "); got != "0 1 2" {
		t.Errorf("descriptors %q\n%s", got, text)
	}
	if !strings.Contains(text, "0 -> /dev/null") {
		t.Errorf("a nil file is not /dev/null:\n%s", text)
	}
	var pipe unix.Stat_t
	if err := unix.Fstat(leaked[0], &pipe); err != nil {
		t.Fatal(err)
	}
	text, _ = output(t, s, sh("ls -l /proc/$PPID/fd"))
	if strings.Contains(text, fmt.Sprintf("pipe:[%d]", pipe.Ino)) || !strings.Contains(text, "socket:") {
		t.Errorf("the helper keeps the leaked pipe %d:\n%s", pipe.Ino, text)
	}
}

func TestStart_Files_KeepTheirOrder(t *testing.T) {
	s := open(t)
	var reads [3]*os.File
	var writes [3]*os.File
	for i := range reads {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		reads[i], writes[i] = r, w
	}
	c := sh("echo one >&4; echo two >&1; echo three >&3")
	c.Files = []*os.File{nil, writes[1], nil, writes[2], writes[0]}
	p, err := s.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"one\n", "two\n", "three\n"} {
		writes[i].Close()
		if got, _ := io.ReadAll(reads[i]); string(got) != want {
			t.Errorf("pipe %d: %q", i, got)
		}
	}
	wait(t, p)
}

// TestStart_FullPipe_MakesTheProgramWait: Go's pipes are non-blocking, but a program that fills its output must wait
// and not fail.
func TestStart_FullPipe_MakesTheProgramWait(t *testing.T) {
	s := open(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := sh("head -c 1000000 /dev/zero; exit $?")
	c.Files = []*os.File{nil, w}
	p, err := s.Start(context.Background(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	// The test reads only after the program has filled the pipe and waits in write.
	waittest.Until(t, "full pipe", func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatalf("the pipe holds %d bytes: %v", n, err)
		}
		return n >= 1<<16
	})
	text, err := io.ReadAll(r)
	wait(t, p)
	if len(text) != 1_000_000 || err != nil || p.Status().Code != 0 {
		t.Errorf("%d bytes, %v, %v", len(text), err, p.Status())
	}
}

func TestStart_SignalsIgnoredByHost_AreDefault(t *testing.T) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGTSTP)
	defer signal.Reset(syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGTSTP)
	s := open(t)
	text, _ := output(t, s, sh("exec cat /proc/self/status"))
	seen := 0
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if !slices.Contains([]string{"SigBlk:", "SigIgn:", "SigCgt:"}, f[0]) {
			continue
		}
		seen++
		if mask, err := strconv.ParseUint(f[1], 16, 64); err != nil || mask != 0 {
			t.Errorf("a program starts with %s", strings.TrimSpace(line))
		}
	}
	if seen != 3 {
		t.Errorf("unexpected status:\n%s", text)
	}
}

// TestHelper_InheritedSignalsAndFiles_AreReset: Goalpost's own process may have any signals blocked or ignored and any
// files open.
func TestHelper_InheritedSignalsAndFiles_AreReset(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "wrapper")
	script := "#!/bin/sh\nexec 7</etc/passwd 9</etc/passwd\n" +
		"exec env --block-signal=CHLD,TERM,USR1,RTMIN --ignore-signal=INT,HUP,CHLD,TSTP,RTMAX " + sandboxtest.Helper(t) +
		" \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := sandbox.Open(context.Background(), sandbox.Options{Helper: wrapper, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	text, _ := output(t, s, sh("exec cat /proc/self/status")) // sh itself blocks signals around vfork
	for _, name := range []string{"SigBlk", "SigIgn"} {
		if !strings.Contains(text, name+":\t0000000000000000\n") {
			t.Errorf("%s is not empty:\n%s", name, text)
		}
	}
	text, status := output(t, s, sh("ls -l /proc/$$/fd /proc/$PPID/fd; exit 6"))
	if strings.Contains(text, "/etc/passwd") || !strings.Contains(text, "/dev/null") {
		t.Errorf("descriptors came through:\n%s", text)
	}
	if status.Code != 6 {
		t.Error(status)
	}
}

func TestStart_InvalidCommand_SaysWhy(t *testing.T) {
	s := open(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	script := filepath.Join(dir, "script")
	broken := filepath.Join(dir, "broken")
	for path, mode := range map[string]os.FileMode{plain: 0o600, script: 0o700, broken: 0o700} {
		body := "hello"
		if path == broken {
			body = "#!/nowhere/sh\n"
		}
		if err := os.WriteFile(path, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
	}
	big := strings.Repeat("x", 1<<20)
	many := make([]string, 16<<10)
	for i := range many {
		many[i] = strings.Repeat("y", 1<<10)
	}
	for _, c := range []struct {
		name    string
		command process.Command
		code    string
		says    string
	}{
		{
			"missing program",
			process.Command{Argv: []string{"no-such-program"}},
			"not_found",
			"no-such-program: no such program on PATH",
		},
		{"missing path", process.Command{Argv: []string{"./nothing"}}, "not_found", "./nothing: no such program"},
		{
			"missing folder",
			process.Command{Argv: []string{"true"}, Dir: "/no/such/folder"},
			"no_dir",
			"/no/such/folder does not exist",
		},
		{"file as folder", process.Command{Argv: []string{"true"}, Dir: plain}, "no_dir", "is not a folder"},
		{"relative folder", process.Command{Argv: []string{"true"}, Dir: "here"}, "bad", "not absolute"},
		{"not executable", process.Command{Argv: []string{plain}}, "permission", "not executable"},
		{"folder as program", process.Command{Argv: []string{dir}}, "permission", "is a folder"},
		{"not a program", process.Command{Argv: []string{script}}, "not_program", "#! line"},
		{"missing interpreter", process.Command{Argv: []string{broken}}, "not_found", "interpreter"},
		{"nothing", process.Command{}, "bad", "no program"},
		{"no terminal", process.Command{Argv: []string{"true"}, TTY: true}, "bad", "descriptor 0"},
		{"1 MiB argument", process.Command{Argv: []string{"true", big}}, "too_big", "one argument is 1048576 bytes"},
		{"1 MiB variable", process.Command{
			Argv: []string{"true"},
			Env:  []string{plainPath, "BIG=" + big},
		}, "too_big", "the variable BIG is 1048580 bytes"},
		{"more than a message", process.Command{Argv: append([]string{"true"}, many...)}, "too_big", "bytes together"},
		{
			"more than Linux takes",
			process.Command{Argv: append([]string{"true"}, many[:10<<10]...)},
			"too_big",
			"bytes together",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.command.Env == nil {
				c.command.Env = []string{plainPath}
			}
			if c.command.Dir == "" {
				c.command.Dir = dir
			}
			_, err := s.Start(context.Background(), c.command)
			var start *sandbox.StartError
			if !errors.As(err, &start) || start.Code != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %s %q", err, c.code, c.says)
			}
		})
	}
	if _, err := s.Start(context.Background(), process.Command{Argv: []string{"no-such"}, Dir: "/"}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
}

func TestStart_MegabyteOfArguments_Arrives(t *testing.T) {
	s := open(t)
	args := make([]string, 1<<10)
	for i := range args {
		args[i] = strings.Repeat("z", 1<<10)
	}
	args[7] = "\xff\xfe not UTF-8"
	text, status := output(t, s, sh(`printf '%s %s' $# "$8"`, args...))
	if want := "1024 \xff\xfe not UTF-8"; text != want || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
}

func TestStart_Path_IsThatOfTheRequest(t *testing.T) {
	s := open(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "hello"), []byte("#!/bin/sh\necho $0 $PWD\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	text, _ := output(t, s, process.Command{Argv: []string{"hello"}, Env: []string{"PATH=bin:/bin"}, Dir: dir})
	if want := filepath.Join(dir, "bin/hello") + " " + dir + "\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestStart_ManyAtOnce_DoNotMix(t *testing.T) {
	s := open(t)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			r, w, err := os.Pipe()
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			c := sh(`echo "$1"; exit "$1"`, strconv.Itoa(i))
			c.Files = []*os.File{nil, w}
			p, err := s.Start(context.Background(), c)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Error(err)
				return
			}
			text, _ := io.ReadAll(r)
			<-p.Done()
			if strings.TrimSpace(string(text)) != strconv.Itoa(i) || p.Status().Code != i {
				t.Errorf("program %d: %q %v", i, text, p.Status())
			}
		})
	}
	all.Wait()
}

func TestStart_ContextCancelled_Fails(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Start(ctx, sh("sleep 1000")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkStartTrue(b *testing.B) {
	b.Run("set", func(b *testing.B) {
		s := open(b)
		for b.Loop() {
			p, err := s.Start(context.Background(), process.Command{Argv: []string{"/bin/true"}, Dir: "/"})
			if err != nil {
				b.Fatal(err)
			}
			<-p.Done()
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
