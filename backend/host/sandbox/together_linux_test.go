package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// TestLimits_AllProgramsTogether_AreBounded: the limit holds even if no single process exceeds it. The report comes
// before the end of the program, and small programs continue.
func TestLimits_AllProgramsTogether_AreBounded(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	w.Limits = &sandbox.ResourceLimits{Processes: 200, Together: 128 << 20, Tmp: 20 << 20}
	l := newTellings()
	s := openSandboxReporting(t, w, l)
	const memory, tmp = "MiB of memory together, and 128 MiB are allowed", "MiB, and 20 MiB are allowed: remove"
	for _, c := range []struct {
		name, script, call string
		reported           string
		domain             process.Domain
	}{
		{
			name:     "four that take a part each",
			reported: "tail was ended: the goal's programs took",
			script:   `for i in 1 2 3 4; do { head -c 60000000 /dev/zero; exec sleep 1000; } | tail -c 60000000 & done; wait`,
		},
		{name: "a memory file that nobody mapped", call: "memfd", reported: memory},
		{name: "memory that is shared", call: "mapped", reported: memory},
		{name: "a check", call: "memfd", reported: "of a check was ended", domain: process.DomainCheck},
		{
			name:     "a file that is open in /tmp",
			reported: tmp,
			script:   `exec 3>/tmp/hog-a; head -c 40000000 /dev/zero >&3; exec sleep 1000`,
		},
		{
			name:     "one that has no name any more",
			reported: tmp,
			script:   `exec 3>/tmp/hog-b; rm /tmp/hog-b; head -c 40000000 /dev/zero >&3; exec sleep 1000`,
		},
		{
			name:     "one by the other name of /tmp",
			reported: tmp,
			script:   `exec 3>/var/tmp/hog-c; rm /tmp/hog-c; head -c 40000000 /dev/zero >&3; exec sleep 1000`,
		},
		{
			name:     "many that are shut at once",
			reported: "sh was ended: the goal's /tmp",
			script:   `while :; do head -c 1000000 /dev/zero > /tmp/hog-$((i=i+1)); sleep 0.02; done`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			mark := s.KillMark()
			command := inside(w, c.script)
			command.Domain = c.domain
			if c.call != "" {
				command.Argv = []string{self}
				command.Env = append(command.Env, attemptVariable+"="+c.call)
			}
			p, err := s.Start(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			if !l.await(c.reported) {
				t.Fatalf("nobody was ended; told:\n%s", l)
			}
			if strings.HasSuffix(c.script, "wait") { // the processes that are left are within the limit
				_ = p.Signal(syscall.SIGKILL)
			}
			wait(t, p)
			if status := p.Status(); status.Signal != syscall.SIGKILL {
				t.Errorf("it ended with %v", status)
			}
			if lines := s.KilledSince(mark); len(lines) == 0 || !strings.Contains(strings.Join(lines, "\n"), c.reported) {
				t.Errorf("with its end this is known: %q", lines)
			}
			l.forget()
			if text, status := output(t, s, inside(w, "rm -f /tmp/hog-*; echo fine")); text != "fine\n" || status.Code != 0 {
				t.Errorf("afterwards: %q %v", text, status)
			}
		})
	}
	t.Run("a segment that its maker left", func(t *testing.T) {
		command := inside(w, "")
		command.Argv, command.Env = []string{self}, append(command.Env, attemptVariable+"=segment")
		for range 2 { // one segment alone is within the limit
			if text, status := output(t, s, command); status.Code != 0 || status.Signal != 0 {
				t.Fatalf("%s %v", text, status)
			}
		}
		if !l.await("shared memory that no program had attached was ended") {
			t.Fatalf("told:\n%s", l)
		}
	})
	t.Run("what processes share counts once", func(t *testing.T) {
		l := newTellings()
		w.Limits.Together = 256 << 20
		s := openSandboxReporting(t, w, l)
		const script = "import os, time\nx = bytearray(b'x') * (60 << 20)\nfor _ in range(6):\n if os.fork() == 0: " +
			"time.sleep(3); os._exit(0)\nwhile True:\n try: pid, status = os.wait()\n except ChildProcessError: break\n " +
			"assert status == 0, status\n"
		if err := os.WriteFile(filepath.Join(w.Dir, "share.py"), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		if text, status := output(t, s, inside(w, "exec python3 share.py")); status.Code != 0 ||
			strings.Contains(l.String(), "ended") {
			t.Errorf("%s %v\n%s", text, status, l)
		}
	})
}
