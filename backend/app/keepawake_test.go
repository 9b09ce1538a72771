package app_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/awake/awaketest"
	"goalpost/backend/storage/config"
)

// stepped is a script of which the test lets each answer pass.
type stepped chan struct{}

func (s stepped) play(script modeltest.Script) modeltest.Script {
	return func(n int, r modeltest.Request) modeltest.Answer {
		<-s
		return script(n, r)
	}
}

// startAwake starts the program with a setting that does not depend on this machine's battery.
func startAwake(t *testing.T, setting config.KeepAwake) *program {
	t.Helper()
	p := startOptions(t, t.TempDir(), app.Options{})
	p.keepAwake(setting)
	return p
}

func (p *program) keepAwake(setting config.KeepAwake) {
	p.Helper()
	s := p.cfg.Settings()
	s.KeepAwake = setting
	must(p.T, p.cfg.SaveSettings(s))
}

// startSystemBus starts a real bus, which the program then uses as that of the system, and returns its address.
func startSystemBus(t *testing.T) string {
	t.Helper()
	address := startBus(t, t.TempDir())
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
	return address
}

// openPage starts a goal that needs an approval for a page, and then gives up.
func (p *program) openPage(steps stepped) (id string) {
	p.Helper()
	p.provide(steps.play(turns(
		call("browser_open", `{"url":"http://first.invalid/"}`),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
	)))
	in := goal.Request{Objective: "open a page"}
	in.Checks, in.Policy.Dir = shell("test -f never"), p.TempDir()
	out, err := p.goal.Start(in)
	must(p.T, err)
	return out.GoalID
}

// TestKeepAwake_GoalWorks_HoldsTheLock: not while the goal waits for the user, and not after its end.
func TestKeepAwake_GoalWorks_HoldsTheLock(t *testing.T) {
	logind := awaketest.Open(t, startSystemBus(t))
	p, steps := startAwake(t, config.AwakeAlways), make(stepped)
	id := p.openPage(steps)
	works := logind.Next()
	if works.What != "sleep:idle" || works.Why != "1 goal is running" {
		t.Errorf("%+v", works)
	}
	steps <- struct{}{}
	works.AwaitEnd() // it waits for an approval
	_, err := area[*calls.ApprovalAPI](t, p.app).Answer([]calls.AnswerInput{{GoalID: id, Request: "a1"}})
	must(t, err)
	again := logind.Next()
	if !again.IsHeld() {
		t.Error("the goal works, but the computer may suspend")
	}
	steps <- struct{}{}
	p.done(id)
	again.AwaitEnd()
}

// TestKeepAwake_Paused_IsReleased: a setting that changes is followed at once, and so is a pause.
func TestKeepAwake_Paused_IsReleased(t *testing.T) {
	logind := awaketest.Open(t, startSystemBus(t))
	p, steps := startAwake(t, config.AwakeAlways), make(stepped)
	defer close(steps)
	id := p.openPage(steps)
	first := logind.Next()
	p.keepAwake(config.AwakeOff)
	first.AwaitEnd()
	p.keepAwake(config.AwakeAlways)
	second := logind.Next()
	_, err := p.goal.Pause(id)
	must(t, err)
	second.AwaitEnd()
}

// TestKeepAwake_Off_NeverAsks: the lock of a later goal is the first one.
func TestKeepAwake_Off_NeverAsks(t *testing.T) {
	logind := awaketest.Open(t, startSystemBus(t))
	p, steps := startAwake(t, config.AwakeOff), make(stepped)
	p.provide(turns(call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	in := goal.Request{Objective: "give up"}
	in.Checks, in.Policy.Dir = shell("test -f never"), t.TempDir()
	out, err := p.goal.Start(in)
	must(t, err)
	p.done(out.GoalID)
	if f := p.awakeFinding(); f.State != api.FindingOK || !strings.HasPrefix(f.Detail, "off") {
		t.Errorf("%+v", f)
	}
	if logind.WasAsked() {
		t.Error("logind was asked although the setting is off")
	}
	p.keepAwake(config.AwakeAlways)
	defer close(steps)
	p.openPage(steps)
	if lock := logind.Next(); !lock.IsHeld() || logind.WasAsked() {
		t.Error("logind was asked while the setting was off")
	}
}

// awakeFinding returns what doctor finds about staying awake.
func (p *program) awakeFinding() (found api.DoctorFinding) {
	p.Helper()
	for _, f := range p.app.Doctor() {
		if f.ID == "awake" {
			return f
		}
	}
	p.Fatal("there is no finding about staying awake")
	return found
}

// TestKeepAwake_Refused_DoctorSaysSo: what logind allows is used.
func TestKeepAwake_Refused_DoctorSaysSo(t *testing.T) {
	logind := awaketest.Open(t, startSystemBus(t), "sleep")
	p := startAwake(t, config.AwakeAlways)
	f := p.awakeFinding()
	if f.State != api.FindingWarn || !strings.Contains(f.Detail, "suspending that a program requests") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	tried := logind.Next()
	tried.AwaitEnd()
	steps := make(stepped)
	defer close(steps)
	p.openPage(steps)
	if lock := logind.Next(); lock.What != "idle" || !lock.IsHeld() {
		t.Errorf("%+v", lock)
	}
}

// TestKeepAwake_NoBus_GoalRuns: without a system bus, such as in a container, goals run as always.
func TestKeepAwake_NoBus_GoalRuns(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	p, steps := startAwake(t, config.AwakeAlways), make(stepped)
	close(steps)
	p.provide(turns(call("run_command", `{"command":"touch made"}`), call("claim_complete", `{"rationale":"made"}`)))
	in := goal.Request{Objective: "make it"}
	in.Checks, in.Policy.Dir = shell("test -f made"), t.TempDir()
	out, err := p.goal.Start(in)
	must(t, err)
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done {
		t.Errorf("%+v", e)
	}
	if f := p.awakeFinding(); f.State != api.FindingWarn || !strings.Contains(f.Detail, "system bus") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}
