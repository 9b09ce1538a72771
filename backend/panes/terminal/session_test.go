package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/waittest"
)

func TestSession_InputAndEnd_ReachTheProgram(t *testing.T) {
	s := terminal(t, "cat")
	v := s.Attach(0)
	defer v.Close()
	if _, err := v.Write([]byte("grüße 日本\r")); err != nil {
		t.Fatal(err)
	}
	until(t, v, func(text string) bool { return strings.Count(text, "grüße 日本\r\n") == 2 })
	if _, done := v.Exit(); done {
		t.Error("cat has ended")
	}
	if _, err := v.Write([]byte{4}); err != nil { // Ctrl+D
		t.Fatal(err)
	}
	ended(t, s)
	if code, done := v.Exit(); code != 0 || !done {
		t.Errorf("exit %d %v", code, done)
	}
	if info := s.Info(); info.Running || info.Exit != 0 || info.Title != "cat" || info.Kind != "terminal" {
		t.Errorf("%+v", info)
	}
	if _, err := s.Write([]byte("x")); !errors.Is(err, ErrEnded) {
		t.Errorf("typing into an ended terminal: %v", err)
	}
}

func TestSession_ExitStatus_IsReported(t *testing.T) {
	for script, want := range map[string]process.Status{
		"echo last words; exit 5": {Code: 5},
		"kill -KILL $$":           {Code: -1, Signal: syscall.SIGKILL},
	} {
		s := terminal(t, "sh", "-c", script)
		ended(t, s)
		if got, done := s.Status(); got != want || !done {
			t.Errorf("%s: %v %v", script, got, done)
		}
		if info := s.Info(); info.Exit != want.Code || info.Running {
			t.Errorf("%s: %+v", script, info)
		}
		if want.Code == 5 {
			if page := s.Text(0, 1000); page.Text != "last words\n" {
				t.Errorf("%q", page.Text)
			}
		}
	}
}

// TestSession_BackgroundChild_DoesNotDelayTheEnd: it holds the terminal open, but the wait status decides.
func TestSession_BackgroundChild_DoesNotDelayTheEnd(t *testing.T) {
	s := terminal(t, "sh", "-c", "trap '' HUP; sleep 1000 & echo bye; exit 2")
	ended(t, s)
	if code, done := s.Exit(); code != 2 || !done {
		t.Errorf("exit %d %v", code, done)
	}
	if page := s.Text(0, 1000); page.Text != "bye\n" {
		t.Errorf("%q", page.Text)
	}
}

func TestResize_ByOneViewer_ReachesAll(t *testing.T) {
	s := terminalWith(t, Options{Argv: []string{"bash"}, Cols: 100, Rows: 30})
	a, b := s.Attach(0), s.Attach(0)
	defer a.Close()
	defer b.Close()
	if r := run(t, s, "stty size"); strings.TrimSpace(r.Output) != "30 100" {
		t.Errorf("%q", r.Output)
	}
	if err := a.Resize(132, 43, false); err != nil {
		t.Fatal(err)
	}
	<-b.Resized()
	if cols, rows := b.Size(); cols != 132 || rows != 43 {
		t.Errorf("the other viewer sees %d×%d", cols, rows)
	}
	select {
	case <-a.Resized():
		t.Error("the viewer that resized gets its own report")
	default:
	}
	if r := run(t, s, "stty size"); strings.TrimSpace(r.Output) != "43 132" {
		t.Errorf("%q", r.Output)
	}
	shows(t, s, func(lines []string, _, _ int, _ bool) bool { return len(lines) == 43 })
	for _, size := range [][2]int{{0, 10}, {10, -1}, {70000, 10}} {
		if err := a.Resize(size[0], size[1], false); err == nil {
			t.Errorf("size %v is taken", size)
		}
	}

	is := func(cols, rows int, answered *Viewer) {
		t.Helper()
		<-answered.Resized()
		if c, r := s.Size(); c != cols || r != rows {
			t.Errorf("%d×%d, want %d×%d", c, r, cols, rows)
		}
	}
	_ = b.Resize(60, 20, false)
	is(132, 43, b) // b has not the keyboard
	_ = b.GiveKeyboard()
	is(60, 20, a)
	b.Close()
	is(132, 43, a)
}

// TestResize_OfAGoal_ChangesNothing: whoever looks, the agent's screen stays as it is.
func TestResize_OfAGoal_ChangesNothing(t *testing.T) {
	s := terminalWith(t, Options{Argv: []string{"bash"}, GoalID: "g1", Cols: 100, Rows: 30})
	v := s.Attach(0)
	defer v.Close()
	_ = v.Resize(40, 5, false)
	<-v.Resized()
	_ = v.GiveKeyboard()
	if r := run(t, s, "stty size"); strings.TrimSpace(r.Output) != "30 100" {
		t.Errorf("%q", r.Output)
	}
}

func TestRestart_Scrollback_Stays(t *testing.T) {
	s := terminal(t, "bash")
	run(t, s, "echo before")
	if err := s.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	if r := run(t, s, "echo after"); r.Output != "after\n" {
		t.Errorf("%q", r.Output)
	}
	text := s.Text(0, 1<<20).Text
	if a, b := strings.Index(text, "before"), strings.Index(text, "after"); a < 0 || b < a {
		t.Errorf("%q", text)
	}
	if _, err := s.Write([]byte("exit 3\r")); err != nil {
		t.Fatal(err)
	}
	ended(t, s)
	if err := s.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	if info := s.Info(); !info.Running || info.Exit != 0 {
		t.Errorf("%+v", info)
	}
	run(t, s, "true")
}

func TestEnd_RunningProgram_LeavesOutputAndCanRestart(t *testing.T) {
	s := terminal(t, "bash")
	run(t, s, "echo before")
	if err := s.End(within(t)); err != nil {
		t.Fatal(err)
	}
	ended(t, s)
	if text := s.Text(0, 1<<20).Text; s.Info().Running || !strings.Contains(text, "before") {
		t.Errorf("%+v %q", s.Info(), text)
	}
	if err := s.End(within(t)); err != nil {
		t.Errorf("ending it twice: %v", err)
	}
	if err := s.Restart(within(t)); err != nil {
		t.Fatal(err)
	}
	run(t, s, "true")
}

func TestClose_ProcessGroup_IsEnded(t *testing.T) {
	for name, command := range map[string]string{
		"obedient":  "sleep 1000",
		"stubborn":  "trap '' HUP TERM INT; sleep 1000",
		"stopped":   "sleep 1000",
		"whole job": "sleep 1000 | cat",
	} {
		t.Run(name, func(t *testing.T) {
			m := NewManager(nil)
			s, err := m.Open(context.Background(), launcher(t), Options{
				ID:    "t1",
				Dir:   "/",
				Argv:  []string{"/bin/sh", "-c", "echo $$; " + command},
				Env:   []string{"PATH=/usr/bin:/bin"},
				Grace: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			v := s.Attach(0)
			defer v.Close()
			until(t, v, contains("\n"))
			pid := s.life.proc.Pid()
			if name == "stopped" {
				if err := s.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Close(within(t), "t1"); err != nil {
				t.Fatal(err)
			}
			// All processes are killed. Nothing signals when the last of them is reaped.
			waittest.Until(t, fmt.Sprintf("end of group %d", pid), func() bool { return allZombies(t, pid) })
		})
	}
}

// allZombies reports whether no process of a group is running.
func allZombies(t *testing.T, group int) bool {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(f) > 3 && f[2] == strconv.Itoa(group) && f[0] != "Z" && f[0] != "X" {
			return false
		}
	}
	return true
}

func TestWrite_InputFull_IsRefused(t *testing.T) {
	s := terminal(t, "sh", "-c", "stty raw -echo; echo ready; exec sleep 1000")
	v := s.Attach(0)
	defer v.Close()
	until(t, v, contains("ready"))
	paste := make([]byte, 256<<10)
	for range 4 {
		if _, err := s.Write(paste); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Write(paste); !errors.Is(err, ErrInputFull) {
		t.Errorf("more than 1 MiB into a program that does not read: %v", err)
	}
}

func TestOpen_InvalidOptions_Fails(t *testing.T) {
	m := NewManager(nil)
	set := launcher(t)
	for name, o := range map[string]Options{
		"no id":       {Dir: "/", Argv: []string{"true"}},
		"no folder":   {ID: "a", Argv: []string{"true"}},
		"missing dir": {ID: "a", Dir: "/no/such/folder", Argv: []string{"true"}},
		"no program":  {ID: "a", Dir: "/", Argv: []string{"no-such-program"}},
	} {
		if _, err := m.Open(context.Background(), set, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := m.Get("a"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if len(m.List()) != 0 {
		t.Errorf("%v", m.List())
	}
}
