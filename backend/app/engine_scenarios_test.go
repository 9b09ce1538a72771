package app_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

// everyAgent is for changes of what agents may send: a scenario usually needs two of them to show that it does not
// depend on one agent's form of messages.
var everyAgent = flag.Bool("everyagent", false, "play all scenarios with every agent in testdata/agents")

// forShapes runs a test for agents that have transcripts in testdata/agents: for all of them if ids is empty, or with
// -everyagent.
func forShapes(t *testing.T, ids []string, test func(t *testing.T, agent engine.Profile)) {
	for _, agent := range shapes() {
		if len(ids) == 0 || *everyAgent || slices.Contains(ids, agent.ID) {
			t.Run(agent.ID, func(t *testing.T) { test(t, agent) })
		}
	}
}

// startShapeGoal starts a goal that is done when done.txt exists.
func (p *program) startShapeGoal(agent engine.Profile, objective, dir string) string {
	p.Helper()
	return p.startEngine(goal.Request{
		Objective: objective,
		Options:   goal.Options{Engine: agent.ID},
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	})
}

// doneWith waits until a goal ends as done, and returns its events.
func (p *program) doneWith(id string) []event.Body {
	p.Helper()
	exit, reason, events := p.result(id)
	if exit != goal.Done {
		p.Fatalf("%s %s", exit, reason)
	}
	return events
}

// TestEngine_ShapesBrowser_DriveAPage: each agent opens a page in a browser pane over MCP, and clicks in it.
func TestEngine_ShapesBrowser_DriveAPage(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex", "gemini"}, func(t *testing.T, agent engine.Profile) {
		address, port, visits := twoPages(t)
		p := startScripts(t, agent, app.Options{}, transcripts(t, agent, "browser", "$PAGE", address)...)
		id := p.startEngine(goal.Request{
			Objective: "click",
			Options:   goal.Options{Engine: agent.ID},
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{AllowLocal: []int{port}},
		})
		events := p.doneWith(id)
		if len(visits) != 1 {
			t.Errorf("the second page was visited %d times", len(visits))
		}
		for _, tool := range []string{"browser_open", "browser_click"} {
			if step := outcomeOf(tool, events); step.Outcome != event.OK {
				t.Errorf("%s: %+v", tool, step)
			}
		}
	})
}

// TestEngine_ShapesAsked_UserDecides: the user sees the whole command, wherever the agent puts it. After a denial, the
// agent is informed and continues, even if it ends its turn.
func TestEngine_ShapesAsked_UserDecides(t *testing.T) {
	t.Parallel()
	forShapes(t, nil, func(t *testing.T, agent engine.Profile) {
		p, dir := startShape(t, agent, "asked", app.Options{}), t.TempDir()
		id := p.startShapeGoal(agent, "ask", dir)
		for _, c := range []struct {
			command string
			scope   policy.Scope
		}{{"touch allowed.txt; rm -rf /srv/first", policy.ScopeOnce}, {"touch ran.txt; rm -rf /srv/second", ""}} {
			if q := p.answers(id, c.scope); q.Tool != "agent_run" || !strings.Contains(q.Arguments, c.command) {
				t.Fatalf("the question is %+v", q)
			}
		}
		deniedOnce(t, p.doneWith(id))
		for name, want := range map[string]bool{"allowed.txt": true, "ran.txt": false} {
			if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestEngine_ShapesWait_ReadTheResultAsTheirNextPrompt: an agent that waits for a condition asks no model until then.
func TestEngine_ShapesWait_ReadTheResultAsTheirNextPrompt(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex"}, func(t *testing.T, agent engine.Profile) {
		clock, dir := newJumpClock(t), t.TempDir()
		p := startShape(t, agent, "waits", app.Options{Clock: clock})
		id := p.startShapeGoal(agent, "work-on-it", dir)
		p.waitsFor(id, "Waiting: the build")
		must(t, os.WriteFile(filepath.Join(dir, "built"), nil, 0o600))
		e := p.awaitWhileJumping(clock, "end", isEnd)
		if b, ok := e.Body.(*event.Ended); !ok || b.Exit != goal.Done {
			t.Fatalf("it ended with %+v", e.Body)
		}
	})
}

// TestEngine_ShapesPaused_ContinueTheSession: a pause waits for the running command, the resumed goal continues the
// agent's session, and a note ends the turn and becomes the next prompt.
func TestEngine_ShapesPaused_ContinueTheSession(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"claude", "codex"}, func(t *testing.T, agent engine.Profile) {
		p, dir := startShape(t, agent, "paused", app.Options{}), t.TempDir()
		id := p.startShapeGoal(agent, "work-on-it", dir)
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		p.do("pause", p.goal.Pause, id)
		touch(t, filepath.Join(dir, "go.txt"))
		if exit, reason, _ := p.result(id); exit != goal.PausedByUser {
			t.Fatalf("%s %s", exit, reason)
		}
		<-p.app.Done(goal.ID(id))
		p.do("resume", p.resume, id)
		awaitFile(t, filepath.Join(dir, "again.txt"), "")
		if ok, err := p.goal.Steer(id, "skip-the-wait"); !ok || err != nil {
			t.Fatal(err)
		}
		touch(t, filepath.Join(dir, "on.txt"))
		notKilled(t, p.doneWith(id))
	})
}

// TestEngine_ShapesOutage_ParkAndContinue: if the provider limits requests, the goal is parked until the time that the
// provider names. The agent may retry silently, end its turn with a text, or fail. Then it continues its session.
func TestEngine_ShapesOutage_ParkAndContinue(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex-old", "gemini"}, func(t *testing.T, agent engine.Profile) {
		clock := newJumpClock(t)
		p := startShape(t, agent, "outage", app.Options{Clock: clock})
		p.provide(func(n int, _ modeltest.Request) modeltest.Answer {
			if n > 0 {
				return modeltest.Say("continue")
			}
			a := modeltest.Fail(429, "come back later")
			a.RetryAfter = "600"
			return a
		})
		id := p.startShapeGoal(agent, "survive", t.TempDir())
		exit, reason, _ := p.result(id)
		if exit != goal.WaitingForProvider || !strings.Contains(reason, "come back later") {
			t.Fatalf("%s %s", exit, reason)
		}
		clock.jumpOver(t, 10*time.Minute+5*time.Second)
		notKilled(t, p.doneWith(id))
	})
}

// TestEngine_ShapesSandbox_Holds: a command of the agent cannot read the user's home, and cannot find the key that the
// host uses. The same search does find the token that the agent may know.
func TestEngine_ShapesSandbox_Holds(t *testing.T) {
	forShapes(t, []string{"claude", "gemini"}, func(t *testing.T, agent engine.Profile) {
		key := "sk-shape-" + rand.Text() // random, because a command can read the constants of the test binary
		t.Setenv("SHAPE_TEST_KEY", key)
		home, dir := t.TempDir(), t.TempDir()
		t.Setenv("HOME", home)
		must(t, os.WriteFile(filepath.Join(home, "private.txt"), []byte("the-users-secret"), 0o600))
		search := "cat " + home + "/private.txt >found.txt 2>&1; ls -A " + home + " >>found.txt 2>&1; (" +
			searchFor(key, "ACPTEST_MODEL_TOKEN") + ") >>found.txt"
		p := startScripts(t, agent, app.Options{}, transcripts(t, agent, "sandbox", "$SEARCH", search)...)
		s := p.provide(func(int, modeltest.Request) modeltest.Answer { return modeltest.Say("continue") })
		saved, err := p.cfg.ChangeProvider("test", func(saved *config.Provider) error {
			saved.APIKeyEnv = "SHAPE_TEST_KEY"
			return nil
		})
		if err != nil || saved.APIKeyEnv == "" {
			t.Fatal(saved, err)
		}
		p.doneWith(p.startShapeGoal(agent, "look", dir))
		found, err := os.ReadFile(filepath.Join(dir, "found.txt"))
		must(t, err)
		keyIsHidden(t, string(found))
		if r := s.Requests(); len(r) != 1 || r[0].Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("the host did not use the key: %d requests", len(r))
		}
	})
}

// searchFor returns a command that counts where the key and the token occur: in the environments and command lines of
// all programs, in its own environment, and in files.
func searchFor(key, token string) string {
	itself := func(word string) string { return word[:len(word)-1] + "[" + word[len(word)-1:] + "]" } // not found itself
	return `look() { for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do tr '\0' '\n' <$f; done 2>/dev/null | ` +
		`grep -c "$1"; env | grep -c "$1"; grep -rlE "$1" "$HOME" /tmp . 2>/dev/null | wc -l; }; ` +
		fmt.Sprintf("printf 'key: '; look '%s'; printf 'token: '; look '%s'", itself(key), itself(token))
}

// keyIsHidden checks the output of a command that reads a file of the user and then searches, see searchFor.
func keyIsHidden(t *testing.T, found string) {
	t.Helper()
	_, counts, _ := strings.Cut(found, "key: ")
	ofKey, ofToken, complete := strings.Cut(counts, "token: ")
	if !strings.Contains(found, "No such file") || strings.Contains(found, "the-users-secret") {
		t.Errorf("the user's home: %q", found)
	}
	if !complete || strings.Join(strings.Fields(ofKey), " ") != "0 0 0" {
		t.Errorf("the key was found: %q", counts)
	}
	if n := strings.Fields(ofToken); len(n) < 3 || n[0] == "0" {
		t.Errorf("the search does not find what is there: %q", counts)
	}
}

// TestEngine_ShapesLeftRunning_AskForTheirHost: between two calls, a command that the agent left running contacts a
// host. The user is asked about the host, and neither the question nor what the agent is told blames the next call.
func TestEngine_ShapesLeftRunning_AskForTheirHost(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex", "codex-old"}, func(t *testing.T, agent engine.Profile) {
		p, dir := startShape(t, agent, "left", app.Options{}), t.TempDir()
		id := p.startShapeGoal(agent, "leave", dir)
		p.step("agent_run")
		p.await("the next turn", func(e event.Event) bool { _, ok := e.Body.(*event.Iteration); return ok })
		touch(t, filepath.Join(dir, "go.txt"))
		if q := p.answers(id, ""); strings.Join(q.Effect.Hosts, " ") != "left.example" ||
			!strings.Contains(q.Why, "before this call, a program wanted GET left.example") {
			t.Errorf("the question is %+v", q)
		}
		isTold := false
		for _, e := range p.doneWith(id) {
			switch b := e.(type) {
			case *event.ApprovalRequested:
				t.Errorf("another question: %+v", b)
			case *event.Message:
				const stopped = "was stopped from reaching left.example"
				isTold = isTold || strings.Contains(b.Message.Text, "a program that ran before agent_run "+stopped)
				if strings.HasPrefix(b.Message.Text, "agent_run "+stopped) {
					t.Errorf("the next call is blamed: %q", b.Message.Text)
				}
			}
		}
		if !isTold {
			t.Error("the agent was not told")
		}
	})
}

// TestEngine_ShapesNote_AfterAClaim: a note that arrives between a claim and the end of the agent's turn does not
// discard the claim. The note is in the prompt with the host's answer.
func TestEngine_ShapesNote_AfterAClaim(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"claude", "gemini"}, func(t *testing.T, agent engine.Profile) {
		p, dir := startShape(t, agent, "noted", app.Options{}), t.TempDir()
		id := p.startShapeGoal(agent, "claim-and-work", dir)
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		if ok, err := p.goal.Steer(id, "skip-the-wait"); !ok || err != nil {
			t.Fatal(err)
		}
		touch(t, filepath.Join(dir, "go.txt"))
		var claims []string
		for _, e := range p.doneWith(id) {
			switch b := e.(type) {
			case *event.Claim:
				claims = append(claims, "claim")
			case *event.Steered:
				claims = append(claims, b.Text)
			}
		}
		if got := strings.Join(claims, " "); got != "skip-the-wait claim claim" {
			t.Errorf("notes and claims: %s", got)
		}
	})
}

// TestEngine_ShapesPause_AfterAClaim: a pause that arrives between a claim and the end of the agent's turn does not
// discard the claim. The resumed goal decides the claim before it asks the agent, also in another process.
func TestEngine_ShapesPause_AfterAClaim(t *testing.T) {
	forShapes(t, []string{"codex", "gemini"}, func(t *testing.T, agent engine.Profile) {
		for name, inAnotherProcess := range map[string]bool{"same process": false, "another process": true} {
			t.Run(name, func(t *testing.T) {
				home, dir, id := t.TempDir(), t.TempDir(), ""
				agents := shapesIn(installScripts(t, agent, transcripts(t, agent, "claimed")...))
				pauseAfterClaim := func(t *testing.T) *program {
					p := startOptions(t, home, app.Options{Engines: agents})
					p.provide(turns(modeltest.Say("nobody asks this model")))
					id = p.startShapeGoal(agent, "claim-and-work", dir)
					awaitFile(t, filepath.Join(dir, "begun.txt"), "")
					p.do("pause", p.goal.Pause, id)
					touch(t, filepath.Join(dir, "go.txt"))
					if exit, reason, _ := p.result(id); exit != goal.PausedByUser {
						t.Fatalf("%s %s", exit, reason)
					}
					<-p.app.Done(goal.ID(id))
					return p
				}
				var p *program
				if inAnotherProcess {
					t.Run("first", func(t *testing.T) { pauseAfterClaim(t) })
					p = startOptions(t, home, app.Options{Engines: agents})
				} else {
					p = pauseAfterClaim(t)
				}
				p.do("resume", p.resume, id)
				steps := ""
				for _, e := range p.doneWith(id) {
					switch b := e.(type) {
					case *event.Claim:
						steps += "claim "
					case *event.StepStarted:
						steps += b.Tool + " "
					}
				}
				if steps != "claim_complete claim agent_run claim_complete claim " {
					t.Errorf("after the pause: %s", steps)
				}
			})
		}
	})
}

// TestEngine_ShapesNote_SurvivesTheHost: a note that arrives between a question and the end of the agent's turn is in
// the next prompt, even if another process sends that prompt.
func TestEngine_ShapesNote_SurvivesTheHost(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"claude", "codex-old"}, func(t *testing.T, agent engine.Profile) {
		home, dir, id := t.TempDir(), t.TempDir(), ""
		agents := shapesIn(installScripts(t, agent, transcripts(t, agent, "question")...))
		t.Run("first", func(t *testing.T) {
			p := startOptions(t, home, app.Options{Engines: agents})
			p.provide(turns(modeltest.Say("nobody asks this model")))
			id = p.startShapeGoal(agent, "ask-and-work", dir)
			awaitFile(t, filepath.Join(dir, "begun.txt"), "")
			if ok, err := p.goal.Steer(id, "skip-the-wait"); !ok || err != nil {
				t.Fatal(err)
			}
			touch(t, filepath.Join(dir, "go.txt"))
			if exit, reason, _ := p.result(id); exit != goal.NeedsUser {
				t.Fatalf("%s %s", exit, reason)
			}
		})
		p := startOptions(t, home, app.Options{Engines: agents})
		if ok, err := p.goal.Resume(id, api.ResumeInput{Note: "the answer"}); !ok || err != nil {
			t.Fatal(err)
		}
		p.doneWith(id)
	})
}

// TestEngine_ShapesToolHangs_EndsIt: if a tool reports nothing, the user is warned after ten minutes, and the host ends
// the tool after thirty. The agent is informed and continues.
func TestEngine_ShapesToolHangs_EndsIt(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex", "gemini"}, func(t *testing.T, agent engine.Profile) {
		clock := newJumpClock(t)
		p, dir := startShape(t, agent, "hung", app.Options{Clock: clock}), t.TempDir()
		id := p.startShapeGoal(agent, "wait", dir)
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		const warning, timeout = 10 * time.Minute, 20 * time.Minute
		for clock.jumpOver(t, timeout, warning) == warning { // twice if an update of the agent arrives after a jump
			continue
		}
		events := p.doneWith(id)
		for _, part := range []string{`touch begun.txt`, "for 10 m. The host ends it after 30 m", "so the host ended it"} {
			if !hasWarning(events, part) {
				t.Errorf("the user was not warned: %s", part)
			}
		}
		failed := false
		for _, e := range events {
			step, ok := e.(*event.Step)
			failed = failed || ok && step.Outcome == event.Failed && strings.Contains(step.Result, "The host ended it")
		}
		if !failed {
			t.Error("the step does not say that it was ended")
		}
		notKilled(t, events)
	})
}

// TestEngine_ShapesReadHangs_AreParked: an observed tool that never ends parks the goal, and the reason names the tool.
// Then the agent continues its session.
func TestEngine_ShapesReadHangs_AreParked(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"claude", "codex-old"}, func(t *testing.T, agent engine.Profile) {
		clock := newJumpClock(t)
		p, dir := startShape(t, agent, "hungread", app.Options{Clock: clock}), t.TempDir()
		id := p.startShapeGoal(agent, "wait", dir)
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		exit, reason, events := p.jumpUntilPaused(clock, id, 10*time.Minute, 20*time.Minute)
		if exit != goal.WaitingForProvider || !strings.Contains(reason, `has reported nothing about "Search" for 30 m`) {
			t.Fatalf("%s %s", exit, reason)
		}
		if !hasWarning(events, `has reported nothing about "Search" for 10 m`) {
			t.Error("the user was not warned")
		}
		clock.jumpOver(t, 5*time.Minute)
		notKilled(t, p.doneWith(id))
	})
}

// hostCommand makes the test binary a host that starts a goal with a scripted agent and runs until it is killed.
const hostCommand = "host-of-shapes"

// runHost starts the goal, prints its id, and runs until it is killed.
func runHost(agent, dir, address string) error {
	cfg, err := config.Open(os.Getenv)
	if err != nil {
		return fmt.Errorf("open the settings: %w", err)
	}
	if err := cfg.SaveProvider(config.Provider{
		ID:      "test",
		Kind:    config.OpenAI,
		BaseURL: address,
		Model:   "m",
	}); err != nil {
		return fmt.Errorf("save the provider: %w", err)
	}
	a := app.New(app.Options{Config: cfg, Version: "test", Engines: shapes()})
	if err := a.Open(context.Background()); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	out, err := a.GoalAPI(context.Background()).Start(goal.Request{
		Objective: "survive-the-host",
		Options:   goal.Options{Engine: agent, CriticEvery: goal.NoLimit},
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if _, err := fmt.Println(out.GoalID); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	<-a.Done(goal.ID(out.GoalID))
	return nil
}

// TestEngine_ShapesHostKilled_Continue: if the host is killed during a command, the agent and the command end too. The
// goal continues in another process: the agent's session, or a new one with a summary, learns that the outcome is
// unknown.
func TestEngine_ShapesHostKilled_Continue(t *testing.T) {
	t.Parallel()
	forShapes(t, []string{"codex", "gemini"}, func(t *testing.T, agent engine.Profile) {
		home, dir := t.TempDir(), t.TempDir()
		bin := installScripts(t, agent, transcripts(t, agent, "hostkilled")...)
		s := modeltest.New(t, turns(modeltest.Say("nobody asks this model")))
		self, err := os.Executable()
		must(t, err)
		host := exec.CommandContext(t.Context(), self, hostCommand, agent.ID, dir, s.URL)
		host.Env = append(os.Environ(), config.HomeVariable+"="+home,
			"GOALPOST_HELPER="+sandboxtest.Helper(t), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		host.Stderr = os.Stderr
		out, err := host.StdoutPipe()
		must(t, err)
		must(t, host.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		must(t, err)
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		begun(t, "1000.29")
		must(t, host.Process.Kill())
		_, err = io.Copy(io.Discard, out) // Wait closes the pipe
		must(t, err)
		if err := host.Wait(); err == nil {
			t.Error("it was not killed")
		}
		waittest.Until(t, "end of the command", func() bool { return !sleeps(t, "1000.29") })
		p, id := startOptions(t, home, app.Options{Engines: shapesIn(bin)}), strings.TrimSpace(line)
		must(t, p.app.Goals.Recover(t.Context()))
		if exit, reason, _ := p.result(id); exit != goal.Interrupted {
			t.Fatalf("%s %s", exit, reason)
		}
		p.do("resume", p.resume, id)
		events, unknown := p.doneWith(id), false
		for _, e := range events {
			if m, ok := e.(*event.Message); ok {
				unknown = unknown || strings.Contains(m.Message.Text, "its outcome is unknown")
			}
		}
		if !unknown {
			t.Error("the agent did not learn of the step in doubt")
		}
		if hasWarning(events, "new session") {
			t.Error("the session was lost")
		}
	})
}
