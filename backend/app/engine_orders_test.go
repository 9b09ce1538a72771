package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// lastBody returns the newest request of the agent's conversation, "" before the first one.
func lastBody(s *modeltest.Server) string {
	requests := s.Requests()
	for _, r := range slices.Backward(requests) {
		if len(r.Tools) > 0 {
			return string(r.Body)
		}
	}
	return ""
}

// untilFile is a command that creates the file begun and then waits until another file exists.
func (ra realAgent) untilFile(begun, file string) modeltest.Answer {
	return ra.bash("touch " + begun + "; until test -f " + file + "; do sleep 0.05; done")
}

// steps plays the answer for the first of the files that is not in dir, and claims when all of them exist. It does not
// count requests, because an agent may ask again when its turn is cancelled.
func (ra realAgent) steps(dir string, answers map[string]modeltest.Answer, files ...string) modeltest.Script {
	return func(_ int, r modeltest.Request) modeltest.Answer {
		if len(r.Tools) == 0 {
			return modeltest.Say("A title")
		}
		for _, f := range files {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				return answers[f]
			}
		}
		if strings.Contains(r.Last().Text, "The host has received this") {
			return modeltest.Say("claimed")
		}
		return ra.claim()
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEngine_PauseAndNote_ReachTheSession: a pause waits for the running command, and the resumed goal continues the
// agent's session. A note ends the agent's turn and becomes its next prompt.
func TestEngine_PauseAndNote_ReachTheSession(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		s := p.provide(a.steps(dir, map[string]modeltest.Answer{
			"begun.txt": a.untilFile("begun.txt", "go.txt"),
			"again.txt": a.untilFile("again.txt", "on.txt"),
			"done.txt":  a.bash("touch done.txt"),
		}, "begun.txt", "again.txt", "done.txt"))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "work-on-it",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		p.do("pause", p.goal.Pause, id)
		touch(t, filepath.Join(dir, "go.txt"))
		if exit, reason, _ := p.result(id); exit != goal.PausedByUser {
			t.Fatalf("%s %s", exit, reason)
		}
		<-p.app.Done(goal.ID(id))
		if _, err := os.Stat(filepath.Join(dir, "again.txt")); err == nil {
			t.Error("the agent continued after the pause")
		}
		p.do("resume", p.resume, id)
		awaitFile(t, filepath.Join(dir, "again.txt"), "")
		if strings.Contains(lastBody(s), "in a session that is gone") == a.resumes ||
			!strings.Contains(lastBody(s), "begun.txt") {
			t.Errorf("the agent did not continue its session: %s", lastBody(s))
		}
		if ok, err := p.goal.Steer(id, "skip-the-wait"); !ok || err != nil {
			t.Fatal(err)
		}
		touch(t, filepath.Join(dir, "on.txt"))
		if exit, reason, _ := p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		if !strings.Contains(lastBody(s), "skip-the-wait") {
			t.Errorf("the note did not reach the agent: %s", lastBody(s))
		}
	})
}

// TestEngine_ProviderOutage_Parks: if the provider limits requests, the goal is parked until the time that the provider
// names. Then the agent continues its session.
func TestEngine_ProviderOutage_Parks(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		clock := newJumpClock(t)
		p := startWith(t, t.TempDir(), clock)
		dir := t.TempDir()
		var mu sync.Mutex
		out := true
		play := agentTurns(
			a.bash("touch begun.txt"),
			a.bash("touch done.txt"),
			a.claim(),
			modeltest.Say("claimed"),
		)
		s := p.provide(func(n int, r modeltest.Request) modeltest.Answer {
			mu.Lock()
			defer mu.Unlock()
			if _, err := os.Stat(filepath.Join(dir, "begun.txt")); err == nil && len(r.Tools) > 0 && out {
				a := modeltest.Fail(429, "come back later")
				a.RetryAfter = "600"
				return a
			}
			return play(n, r)
		})
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "survive",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		exit, reason, _ := p.result(id)
		if exit != goal.WaitingForProvider || !strings.Contains(reason, "come back later") {
			t.Fatalf("%s %s", exit, reason)
		}
		mu.Lock()
		out = false
		mu.Unlock()
		clock.jumpOver(t, 10*time.Minute+5*time.Second)
		if exit, reason, _ = p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		if !strings.Contains(lastBody(s), "begun.txt") {
			t.Errorf("the agent lost its session: %s", lastBody(s))
		}
	})
}

// TestEngine_SilentAgent_IsParkedAndEnded: the host ends an agent that sends nothing for three minutes although no tool
// runs and its model has answered. The goal is parked, and the agent then continues its session.
func TestEngine_SilentAgent_IsParkedAndEnded(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		clock := newJumpClock(t)
		p := startWith(t, t.TempDir(), clock)
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "halt.sh"),
			[]byte("touch waits.txt; until test -f halt.txt; do sleep 0.05; done; kill -STOP $1; touch halted.txt"), 0o600))
		play := a.steps(dir, map[string]modeltest.Answer{
			// The command waits for the script, because some agents kill the remaining processes of a command.
			"begun.txt": a.bash("touch begun.txt; setsid sh halt.sh $PPID >/dev/null 2>&1 & " +
				"until test -f waits.txt; do sleep 0.05; done"),
			"done.txt": a.bash("touch done.txt"),
		}, "begun.txt", "done.txt")
		arrived, answer := make(chan struct{}), make(chan struct{})
		arrivedOnce := sync.OnceFunc(func() { close(arrived) })
		s := p.provide(func(n int, r modeltest.Request) modeltest.Answer {
			if r.Last().Role == goal.ToolRole {
				arrivedOnce()
				select { // until the waiting agent is stopped
				case <-answer:
				case <-t.Context().Done():
				}
			}
			return play(n, r)
		})
		p.usePrice()
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "be silent",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		p.step("agent_run")
		select { // must happen before the clock jumps, which would end the request
		case <-arrived:
		case <-time.After(waittest.Scale(time.Minute)):
			t.Fatal("the agent does not ask the model after its command")
		}
		touch(t, filepath.Join(dir, "halt.txt"))
		awaitFile(t, filepath.Join(dir, "halted.txt"), "")
		close(answer)
		waittest.Until(t, "end of the questions to the model", func() bool {
			return p.today().USD >= turnCost*float64(len(s.Requests()))
		})
		// At the first jumps, the host may still wait for the model's answer.
		exit, reason, _ := p.jumpUntilPaused(clock, id, 3*time.Minute)
		if exit != goal.WaitingForProvider || !strings.Contains(reason, "has sent nothing for 3 m") {
			t.Fatalf("%s %s", exit, reason)
		}
		clock.jumpOver(t, 5*time.Minute)
		if exit, reason, _ = p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
	})
}

// host is goalctl in its own process.
type host struct {
	cmd    *exec.Cmd
	events *bufio.Scanner
}

// startHost runs this test binary as goalctl, which prints events as JSON.
func startHost(t *testing.T, home string, args ...string) *host {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), config.HomeVariable+"="+home, "HOME="+home,
		"GOALPOST_HELPER="+sandboxtest.Helper(t))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	return &host{c, lines}
}

// next returns the next event, false at the end of the output.
func (h *host) next(t *testing.T) (e event.Event, ok bool) {
	t.Helper()
	if !h.events.Scan() {
		return e, false
	}
	if err := json.Unmarshal(h.events.Bytes(), &e); err != nil {
		t.Fatalf("%s: %v", h.events.Text(), err)
	}
	return e, true
}

// TestEngine_HostKilled_ContinuesTheSession: if the host is killed during a command, the agent and the command end too.
// The resumed goal reports the outcome of the step as unknown, and the agent continues its own session.
func TestEngine_HostKilled_ContinuesTheSession(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		home, dir := t.TempDir(), t.TempDir()
		s := modeltest.New(t, a.steps(dir, map[string]modeltest.Answer{
			"begun.txt": a.bash("touch begun.txt; sleep 1000.28"),
			"done.txt":  a.bash("touch done.txt"),
		}, "begun.txt", "done.txt"))
		first := startHost(t, home, "run", "--json", "--engine", a.id, "--base-url", s.URL, "--model", "m", "--dir", dir,
			"--critic", "0", "--check", "test -f done.txt", "survive-the-host")
		var id goal.ID
		for {
			e, ok := first.next(t)
			if !ok {
				t.Fatalf("it ended: %v", first.cmd.Wait())
			}
			if b, ok := e.Body.(*event.StepStarted); ok && b.Tool == "agent_run" {
				id = e.GoalID
				break
			}
		}
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		begun(t, "1000.28")
		if err := first.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for first.events.Scan() { //nolint:revive // Wait closes the pipe
		}
		if err := first.cmd.Wait(); err == nil {
			t.Error("it was not killed")
		}
		waittest.Until(t, "end of the command", func() bool { return !sleeps(t, "1000.28") })
		second := startHost(t, home, "resume", "--json", string(id))
		var log strings.Builder
		unknown, warned := false, ""
		for {
			e, ok := second.next(t)
			if !ok {
				break
			}
			switch b := e.Body.(type) {
			case *event.Message:
				unknown = unknown || strings.Contains(b.Message.Text, "its outcome is unknown")
			case *event.Warning:
				warned += b.Text
			}
			fmt.Fprintf(&log, "%T %+v\n", e.Body, e.Body)
		}
		if err := second.cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
		if !unknown {
			t.Errorf("the agent did not learn of the step in doubt:\n%s", log.String())
		}
		if a.resumes && strings.Contains(warned, "new session") {
			t.Errorf("the session was lost: %s", warned)
		}
		last := lastBody(s)
		if strings.Count(last, "survive-the-host") == 0 || !strings.Contains(last, "begun.txt") {
			t.Errorf("the last conversation is %s", last)
		}
	})
}
