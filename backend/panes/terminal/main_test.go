package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bound is how long a test waits for something that must happen, even on a busy machine.
const bound = 3 * time.Minute

func launcher(tb testing.TB) *sandbox.Supervisor {
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

// terminal opens one terminal with the given program.
func terminal(tb testing.TB, argv ...string) *Session {
	tb.Helper()
	return terminalWith(tb, Options{Argv: argv})
}

func terminalWith(tb testing.TB, o Options) *Session {
	tb.Helper()
	m := NewManager(nil)
	if o.ID == "" {
		o.ID = "t1"
	}
	if o.Dir == "" {
		o.Dir = tb.TempDir()
		if err := os.WriteFile(filepath.Join(o.Dir, ".zshrc"), nil, 0o600); err != nil { // otherwise zsh asks about it
			tb.Fatal(err)
		}
	}
	if o.Env == nil {
		o.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + o.Dir, "LANG=C.UTF-8", "PS1=$ "}
	}
	s, err := m.Open(context.Background(), launcher(tb), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := m.CloseAll(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// needs fails with one line when the machine lacks a program.
func needs(tb testing.TB, programs ...string) {
	tb.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			tb.Fatalf("%s is missing: run make deps-test", name)
		}
	}
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	tb.Cleanup(cancel)
	return ctx
}

// run runs a command that must finish.
func run(tb testing.TB, s *Session, command string) Run {
	tb.Helper()
	r, err := s.Commands.Run(within(tb), command, bound)
	if err != nil || !r.Finished {
		lines, _, _, _ := s.Screen()
		tb.Fatalf("%q: %+v %v\n%s", command, r, err, strings.Join(lines, "\n"))
	}
	return r
}

// until reads and acknowledges until what was read satisfies ok.
func until(tb testing.TB, v *Viewer, ok func(text string) bool) string {
	tb.Helper()
	ctx := within(tb)
	var all strings.Builder
	for !ok(all.String()) {
		offset, chunk, err := v.Read(ctx)
		if err != nil {
			tb.Fatalf("%v after %q", err, all.String())
		}
		all.Write(chunk)
		v.Ack(offset + int64(len(chunk)))
	}
	return all.String()
}

func contains(text string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, text) }
}

// rest reads and acknowledges to the end.
func rest(tb testing.TB, v *Viewer) (text []byte, lost int64) {
	tb.Helper()
	ctx := within(tb)
	for {
		offset, chunk, err := v.Read(ctx)
		var gap *GapError
		switch {
		case errors.As(err, &gap):
			from, to := gap.Range()
			lost += to - from
			continue
		case errors.Is(err, io.EOF):
			return text, lost
		case err != nil:
			tb.Fatal(err)
		}
		text = append(text, chunk...)
		v.Ack(offset + int64(len(chunk)))
	}
}

// ended waits for the end of the program.
func ended(tb testing.TB, s *Session) {
	tb.Helper()
	for {
		_, end := s.Range()
		err := s.Wait(within(tb), end)
		switch {
		case errors.Is(err, ErrEnded), errors.Is(err, ErrClosed):
			return
		case err != nil:
			tb.Fatal(err)
		}
	}
}
