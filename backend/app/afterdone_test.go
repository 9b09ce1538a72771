package app_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/goal"
)

// TestWhatADoneGoalLeftRunning stays, so that its person can look at it, until another
// goal works in the folder; and not at all where she said so.
func TestWhatADoneGoalLeftRunning(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what it left is looked for in /proc")
	}
	p := start(t, t.TempDir())
	dir := t.TempDir()
	run := func(mark string) {
		t.Helper()
		p.provide(turns(args("run_command", map[string]any{"command": "setsid sleep " + mark + " >/dev/null 2>&1 &"}), call("claim_complete", `{"rationale":"it runs"}`)))
		out, err := p.goal.Start(api.StartInput{Objective: "leave something", Dir: dir, Checks: shell("true"), AllowPassing: true, CriticEvery: api.NoLimit, Review: goal.Never})
		must(t, err)
		if v := p.done(out.GoalID); v.Status != goal.StatusOf(goal.Done) {
			t.Fatalf("the goal is %s", v.Status)
		}
	}
	mark := func(n int) string { return fmt.Sprint(200_000_000 + 10*os.Getpid() + n) }
	run(mark(1))
	begun(t, mark(1))
	run(mark(2))
	if sleeps(t, mark(1)) {
		t.Error("what the first goal left goes on in the folder of the second")
	}
	begun(t, mark(2))
	settings := p.cfg.Settings()
	settings.LingerMinutes = 0
	must(t, p.cfg.SaveSettings(settings))
	run(mark(3))
	if sleeps(t, mark(2)) || sleeps(t, mark(3)) {
		t.Error("programs stay although none may")
	}
}

// begun waits for a process of this machine that sleeps so long: one that is being
// made has not its arguments yet, and nothing signals them.
func begun(t *testing.T, mark string) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !sleeps(t, mark); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("sleep %s does not run", mark)
		}
	}
}

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
