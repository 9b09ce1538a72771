package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/config"
)

// nightClock is a jumpClock on which the waits between two tries of a model pass at once.
type nightClock struct{ *jumpClock }

func (n nightClock) After(d time.Duration) <-chan time.Time {
	const poll = 5 * time.Second // of a goal that waits for a condition
	if d <= time.Second || d == poll || d > 40*time.Second {
		return n.jumpClock.After(d)
	}
	n.pass(d)
	over := make(chan time.Time, 1)
	over <- n.Now()
	return over
}

// awaitTimer waits until a timer is set to about that time. Timers that nobody waits for any more count, too: those for
// a silent model are set to two and five minutes.
func (j *jumpClock) awaitTimer(at time.Time) {
	for {
		j.mu.Lock()
		for w := range j.waits {
			if w.at.Sub(at).Abs() < 10*time.Second {
				j.mu.Unlock()
				return
			}
		}
		j.mu.Unlock()
		<-j.began
	}
}

// pass lets time pass in which no timer fires: the machine sleeps, or a model thinks.
func (j *jumpClock) pass(d time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead += d
	for w := range j.waits {
		w.at = w.at.Add(d)
	}
}

// passUntil lets a goal wait until a time.
func (j *jumpClock) passUntil(at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead = max(j.ahead, time.Until(at)+time.Second)
	for w := range j.waits {
		if !w.at.After(time.Now().Add(j.ahead)) {
			j.endWait(w)
		}
	}
}

// night is a goal of eight hours without its user, with two models.
type night struct {
	*program

	clock  nightClock
	began  time.Time
	mu     sync.Mutex // guards what follows: models answer on other goroutines
	turn   int        // of the script
	until  time.Time  // both models are away until then
	fails  modeltest.Answer
	quota  time.Time // the quota of the goal's own model is used up until then
	worked int       // turns of the fallback
}

// own plays the goal's own model: "main".
func (n *night) own(_ int, _ modeltest.Request) modeltest.Answer {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now()
	switch {
	case now.Before(n.until):
		return n.fails
	case now.Before(n.quota):
		return modeltest.Answer{
			Status: 429,
			Body:   `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`,
		}
	}
	n.turn++
	n.until = time.Time{}
	switch n.turn {
	case 1:
		n.goAway(time.Hour, modeltest.Answer{Text: "half a", CutAfter: 1})
		return call("write_file", `{"path":"plan","content":"x"}`)
	case 2:
		return call("fix__hang", `{}`)
	case 3:
		return modeltest.Answer{Raw: "\x00\x01 no protocol"}
	case 4:
		n.goAway(30*time.Minute, modeltest.Fail(503, "down")) // after the wait, for which no model is asked
		n.until = n.until.Add(2 * time.Hour)
		return call("wait_until", `{"for":"CI of pull request 12","file":"green","every_seconds":600,"limit_seconds":14400}`)
	case 5:
		n.quota = now.Add(150 * time.Minute)
		return call("write_file", `{"path":"half","content":"x"}`)
	case 6:
		n.goAway(110*time.Minute, modeltest.Fail(529, "overloaded"))
		return call("write_file", `{"path":"done.txt","content":"x"}`)
	}
	return call("claim_complete", `{"rationale":"CI is green and done.txt is written"}`)
}

func (n *night) goAway(d time.Duration, with modeltest.Answer) {
	n.until, n.fails = n.clock.Now().Add(d), with
}

// spare plays the fallback, which thinks for four minutes.
func (n *night) spare(int, modeltest.Request) modeltest.Answer {
	n.mu.Lock()
	defer n.mu.Unlock()
	const tries = 3 * time.Minute // of the goal's own model, which failed until now
	if n.clock.Now().Before(n.until.Add(tries)) {
		return n.fails
	}
	n.worked++
	n.clock.pass(4 * time.Minute)
	return call("write_file", `{"path":"more/`+strings.Repeat("x", n.worked)+`","content":"x"}`)
}

// liveThrough lets the time of each wait pass until the goal has ended. In one wait for a model, the machine sleeps.
func (n *night) liveThrough(dir string) *event.Ended {
	n.Helper()
	hasSlept := false
	for {
		switch b := n.await("pause or end", isEnd).Body.(type) {
		case *event.Ended:
			return b
		case *event.Paused:
			until, err := time.Parse(event.TimeLayout, b.Until)
			must(n.T, err)
			switch {
			case b.Exit == goal.WaitingForCondition:
				n.waitForCI(dir)
			case b.Exit != goal.WaitingForProvider:
				n.Fatalf("it stopped: %+v", b)
			case !hasSlept && until.Sub(n.clock.Now()) > 3*time.Minute:
				hasSlept = true
				n.clock.awaitTimer(until)
				n.clock.pass(40 * time.Minute)
			default:
				n.clock.passUntil(until)
			}
		}
	}
}

// waitForCI lets two hours pass, in which the machine sleeps for half an hour, before the file exists.
func (n *night) waitForCI(dir string) {
	n.Helper()
	green := n.clock.Now().Add(2 * time.Hour)
	n.clock.jumpOver(n.T, 5*time.Second)
	n.clock.pass(30 * time.Minute)
	for n.clock.Now().Before(green) {
		n.clock.jumpOver(n.T, 5*time.Second)
	}
	must(n.T, os.WriteFile(filepath.Join(dir, "green"), nil, 0o600))
	n.awaitWhileJumping(n.clock.jumpClock, "end of the wait", func(e event.Event) bool {
		_, resumed := e.Body.(*event.Resumed)
		return resumed
	})
}

// TestNight_EightHours_EndsDoneAndTellsIt: the network is away three times, the machine sleeps twice, the quota of the
// goal's model is used up, an MCP server hangs, one reply is garbage, and CI takes two hours.
func TestNight_EightHours_EndsDoneAndTellsIt(t *testing.T) {
	t.Parallel()
	clock := nightClock{newJumpClock(t)}
	n := &night{program: startWith(t, t.TempDir(), clock), clock: clock, began: clock.Now()}
	for id, script := range map[string]modeltest.Script{"main": n.own, "spare": n.spare} {
		must(t, n.cfg.SaveProvider(config.Provider{
			ID: id, Kind: config.OpenAI, BaseURL: modeltest.New(t, script).URL, Model: id,
		}))
	}
	server := stubServer("whole")
	server.Risk, server.TimeoutSeconds = "read_only", 1
	_, err := n.mcp().Save(server)
	must(t, err)
	in := goal.Request{Objective: "make done.txt when CI is green", Model: "main/main, spare"}
	in.Checks, in.Policy.Dir, in.Options.CriticEvery = shell("test -f done.txt"), t.TempDir(), goal.NoLimit
	in.Limits.WallClockMS = (5 * time.Hour).Milliseconds()
	_, err = n.goal.Start(in)
	must(t, err)
	end := n.liveThrough(in.Policy.Dir)
	took := clock.Now().Sub(n.began)
	if end.Exit != goal.Done || !end.Verified || took < 8*time.Hour || n.worked < 30 {
		t.Errorf("after %s and %d turns of the fallback: %+v", took, n.worked, end)
	}
	for i, want := range []string{
		`^Done\. All checks passed`, `^1 of 1 check passed`, `^The agent said: CI is green`, `^Created `,
		`^\d+ steps, \d+ turns, 1 claim in 2 h`,
		`^Waited \d h \d\d m, at no cost: 3 times for the model \(\d h \d\d m\), ` +
			`for CI of pull request 12 \(2 h( \d\d m)?\)\. The computer slept 2 times\.$`,
		`^\d\d turns by spare, because main's quota was used up until \d\d:\d\d\. ` +
			`\d+ requests to a model failed and were repeated \(10 truncated, 1 unreadable, \d+ overloaded\)\. ` +
			`MCP server fix: hang did not answer within 1 s\.$`,
		`^Next: `,
	} {
		if len(end.Report) != 8 || !regexp.MustCompile(want).MatchString(end.Report[i]) {
			t.Errorf("line %d does not match %s:\n%s", i+1, want, strings.Join(end.Report, "\n"))
		}
	}
}
