package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/waittest"
)

// TestGracePeriod_DoneGoal_KeepsItsPrograms: the programs of a done goal keep running until another goal works in the
// folder. Without a grace period they end at once.
func TestGracePeriod_DoneGoal_KeepsItsPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what it left is looked for in /proc")
	}
	p := start(t, t.TempDir())
	dir := t.TempDir()
	run := func(mark string) {
		t.Helper()
		p.provide(turns(args("run_command", map[string]any{
			"command": "setsid sleep " + mark + " >/dev/null 2>&1 &",
		}), call("claim_complete", `{"rationale":"it runs"}`)))
		out, err := p.goal.Start(goal.Request{
			Objective: "leave something",
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("true")},
			Options:   goal.Options{AllowPassing: true, CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
		})
		must(t, err)
		if v := p.done(out.GoalID); v.Status != goal.StatusForExit(goal.Done) {
			t.Fatalf("the goal is %s", v.Status)
		}
	}
	mark := func(n int) string { return fmt.Sprint(200_000_000 + 10*os.Getpid() + n) }
	run(mark(1))
	begun(t, mark(1))
	run(mark(2))
	if sleeps(t, mark(1)) {
		t.Error("what the first goal left continues in the folder of the second")
	}
	begun(t, mark(2))
	settings := p.cfg.Settings()
	settings.GraceMinutes = 0
	must(t, p.cfg.SaveSettings(settings))
	run(mark(3))
	if sleeps(t, mark(2)) || sleeps(t, mark(3)) {
		t.Error("programs stay although none may")
	}
}

// leaves runs a goal that leaves a program, a terminal and a page behind, and returns its id.
func leaves(p *program, mark string) (id string) {
	p.Helper()
	p.provide(turns(
		args("run_command", map[string]any{
			"command": "setsid sleep " + mark + " >/dev/null 2>&1 &",
		}), args("terminal_open", map[string]any{}),
		args("browser_open", map[string]any{"url": "about:blank"}), call("claim_complete", `{"rationale":"it runs"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "leave something",
		Policy:    policy.Policy{Dir: p.TempDir()},
		Criterion: goal.Criterion{Checks: shell("true")},
		Options:   goal.Options{AllowPassing: true, CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
	})
	must(p.T, err)
	if v := p.done(out.GoalID); v.Status != goal.StatusForExit(goal.Done) {
		p.Fatalf("the goal is %s", v.Status)
	}
	begun(p.T, mark)
	return out.GoalID
}

// TestClosePane_LastOfDoneGoal_EndsItsPrograms: closing the other panes does not end them.
func TestClosePane_LastOfDoneGoal_EndsItsPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what it left is looked for in /proc")
	}
	p := start(t, t.TempDir())
	mark := fmt.Sprint(200_000_000 + 10*os.Getpid() + 4)
	id := leaves(p, mark)
	var own []pane.Info
	list, err := area[*calls.WorkspaceAPI](t, p.app).Panes()
	must(t, err)
	for _, i := range list.Panes {
		if i.GoalID == id {
			own = append(own, i)
		}
	}
	if len(own) != 2 {
		t.Fatalf("the goal has the panes %+v", own)
	}
	for i, one := range own {
		if !sleeps(t, mark) {
			t.Errorf("what the goal left ended after %d of its panes", i)
		}
		if one.Kind == pane.Terminal {
			_, err = p.terminals().Close(one.ID)
		} else {
			_, err = area[*calls.BrowserAPI](t, p.app).Close(one.ID)
		}
		must(t, err)
	}
	if sleeps(t, mark) {
		t.Error("what the goal left continues after its last pane was closed")
	}
}

func TestGracePeriod_Expires_ProgramsEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what it left is looked for in /proc")
	}
	clock := &hourly{due: make(chan time.Time)}
	p := startWith(t, t.TempDir(), clock)
	mark := fmt.Sprint(200_000_000 + 10*os.Getpid() + 5)
	leaves(p, mark)
	close(clock.due)
	waittest.Until(t, "the end of what the goal left", func() bool { return !sleeps(t, mark) })
}

// begun waits until a process runs "sleep MARK". A process that has just been started has
// other arguments for a moment.
func begun(t *testing.T, mark string) {
	t.Helper()
	waittest.Until(t, "sleep "+mark, func() bool { return sleeps(t, mark) })
}

// sleeps reports whether a process of this machine runs "sleep MARK".
func sleeps(t *testing.T, mark string) bool {
	t.Helper()
	all, err := os.ReadDir("/proc")
	must(t, err)
	for _, entry := range all {
		if line, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline"); string(line) == "sleep\x00"+mark+"\x00" {
			return true
		}
	}
	return false
}

// TestPanes_OfDoneGoal_CloseWhenNothingHoldsThem: they stay while the user looks and while a program serves. Once
// nothing holds them, they close after another minute.
func TestPanes_OfDoneGoal_CloseWhenNothingHoldsThem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("a goal's programs run in a sandbox")
	}
	clock := newJumpClock(t)
	p := startWith(t, t.TempDir(), clock)
	space, dir := area[*calls.WorkspaceAPI](t, p.app), t.TempDir()
	id := p.doneGoal(dir, "setsid sh -c 'python3 -m http.server 8123 --bind 127.0.0.1 & while [ ! -e stop ]; do "+
		"sleep 0.05; done; kill $!' >/dev/null 2>&1 & "+
		"bash -c 'until (: </dev/tcp/127.0.0.1/8123) 2>/dev/null; do sleep 0.05; done'")
	_, err := space.CloseSoon(id)
	must(t, err)
	if at := p.closing(id); at <= 0 {
		t.Fatalf("the panes close at %d", at)
	}
	_, err = space.Look(id, true)
	must(t, err)
	for range 2 { // the second wait begins when the first is over
		clock.jumpOver(t, time.Minute)
	}
	_, err = space.Look(id, false)
	must(t, err)
	if at := p.closing(id); at <= 0 {
		t.Fatalf("the user has left, and the panes close at %d", at)
	}
	clock.jumpOver(t, time.Minute)
	waittest.Until(t, "the panes to stay for the server", func() bool { return p.closing(id) == 0 })
	must(t, os.WriteFile(filepath.Join(dir, "stop"), nil, 0o600))
	waittest.Until(t, "the end of the panes", func() bool {
		clock.tryJump(time.Minute)
		return p.panesOf(id) == 0
	})
}

// TestPanes_KeptByTheUser_Stay: until the goal runs again.
func TestPanes_KeptByTheUser_Stay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("a goal's programs run in a sandbox")
	}
	clock := newJumpClock(t)
	p := startWith(t, t.TempDir(), clock)
	space := area[*calls.WorkspaceAPI](t, p.app)
	kept, other := p.doneGoal(t.TempDir(), "true"), p.doneGoal(t.TempDir(), "true")
	for _, id := range []string{kept, other} {
		_, err := space.CloseSoon(id)
		must(t, err)
	}
	_, err := space.Keep(kept)
	must(t, err)
	_, err = space.CloseSoon(kept) // another window
	must(t, err)
	waittest.Until(t, "the end of the other goal's panes", func() bool {
		clock.tryJump(time.Minute)
		return p.panesOf(other) == 0
	})
	if p.closing(kept) != -1 || p.panesOf(kept) != 1 {
		t.Errorf("%d panes are left, which close at %d", p.panesOf(kept), p.closing(kept))
	}
}

// doneGoal runs a goal that runs a command and opens a terminal. It returns the goal's id.
func (p *program) doneGoal(dir, command string) string {
	p.Helper()
	p.provide(turns(args("run_command", map[string]any{
		"command": command,
	}), args("terminal_open", map[string]any{}), call("claim_complete", `{"rationale":"it runs"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "leave something",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("true")},
		Options:   goal.Options{AllowPassing: true, CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
	})
	must(p.T, err)
	if v := p.done(out.GoalID); v.Status != goal.StatusForExit(goal.Done) {
		p.Fatalf("the goal is %s", v.Status)
	}
	return out.GoalID
}

// panesOf returns how many panes a goal has.
func (p *program) panesOf(id string) (n int) {
	list, err := area[*calls.WorkspaceAPI](p.T, p.app).Panes()
	must(p.T, err)
	for _, i := range list.Panes {
		if i.GoalID == id {
			n++
		}
	}
	return n
}

// closing returns when the panes of a goal close, -1 if they do not.
func (p *program) closing(id string) int64 {
	list, err := area[*calls.WorkspaceAPI](p.T, p.app).Panes()
	must(p.T, err)
	if at, ok := list.Workspaces.Closing[id]; ok {
		return at
	}
	return -1
}
