package keepawake_test

import (
	"bufio"
	"context"
	"log/slog"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/keepawake"
	"goalpost/backend/host/awake/awaketest"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// startBus starts a real bus, which the program then uses as that of the system, and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("no dbus-daemon here")
	}
	daemon := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile",
		"--address=unix:path="+t.TempDir()+"/bus")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = daemon.Process.Kill(), daemon.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
	return address
}

// laptop is a computer with goals and a battery.
type laptop struct {
	*testing.T
	store   *store.Store
	cfg     *config.Config
	live    atomic.Pointer[[]goal.ID]
	plugged atomic.Bool
	looks   chan time.Time
}

// open starts a keeper on a laptop that is plugged in.
func open(t *testing.T, setting config.KeepAwake) *laptop {
	t.Helper()
	dir := t.TempDir()
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: dir, "HOME": dir}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &laptop{T: t, cfg: cfg, looks: make(chan time.Time)}
	s := cfg.Settings()
	s.KeepAwake = setting
	if err := cfg.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	var broker event.Broker
	l.store, err = store.Open(t.Context(), store.Options{Dir: cfg.State(), Publish: broker.Publish, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	l.plugged.Store(true)
	l.live.Store(&[]goal.ID{})
	k := &keepawake.Keeper{
		Config: cfg, Log: slog.New(slog.DiscardHandler), Store: l.store, Broker: &broker,
		Live: func() []goal.ID { return *l.live.Load() }, IsPluggedIn: l.plugged.Load, Again: l.looks,
	}
	k.Start(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		k.Close()
		_, _ = l.store.Close(), cfg.Close()
	})
	return l
}

// begin starts one more goal of this process.
func (l *laptop) begin() goal.Run {
	l.Helper()
	g := &goal.Goal{ID: goal.ID(store.NewID()), Request: goal.Request{
		Objective: "work", Provider: "test", Model: "m", Limits: goal.DefaultLimits(),
	}}
	g.Policy.Dir = l.TempDir()
	g.Criterion.Checks = []goal.Check{{Type: goal.Shell, Command: "true"}}
	if err := l.store.Goals.Create(l.Context(), g); err != nil {
		l.Fatal(err)
	}
	live := append([]goal.ID{g.ID}, *l.live.Load()...)
	l.live.Store(&live)
	run, err := l.store.Journal.Begin(l.Context(), g.ID, 10, &event.Started{})
	if err != nil {
		l.Fatal(err)
	}
	return run
}

func (l *laptop) pause(run goal.Run, exit goal.Exit) {
	l.Helper()
	if err := l.store.Journal.Append(l.Context(), run, &event.Paused{Exit: exit}); err != nil {
		l.Fatal(err)
	}
}

// look lets the keeper look at the power. The second time begins when the first look has ended.
func (l *laptop) look() { l.looks <- time.Now(); l.looks <- time.Now() }

// TestKeeper_SeveralGoals_SaysHowMany: a goal that waits for its model is continued by the host, so it counts.
func TestKeeper_SeveralGoals_SaysHowMany(t *testing.T) {
	logind := awaketest.Open(t, startBus(t))
	l := open(t, config.AwakePluggedIn)
	first := l.begin()
	one := logind.Next()
	second := l.begin()
	both := logind.Next()
	one.AwaitEnd()
	if one.Why != "1 goal is running" || both.Why != "2 goals are running" {
		t.Errorf("%q, %q", one.Why, both.Why)
	}
	l.pause(first, goal.WaitingForProvider)
	l.look()
	if !both.IsHeld() || logind.WasAsked() {
		t.Error("a goal that waits for its model does not count")
	}
	l.pause(second, goal.NeedsUser)
	if last := logind.Next(); last.Why != "1 goal is running" || !last.IsHeld() {
		t.Errorf("%+v", last)
	}
	both.AwaitEnd()
}

// TestKeeper_Battery_FollowsTheSetting: only "always" keeps a computer awake that runs on battery.
func TestKeeper_Battery_FollowsTheSetting(t *testing.T) {
	logind := awaketest.Open(t, startBus(t))
	l := open(t, config.AwakeLid)
	l.begin()
	lid := logind.Next()
	if lid.What != "sleep:idle:handle-lid-switch" {
		t.Errorf("%+v", lid)
	}
	l.plugged.Store(false)
	l.look()
	lid.AwaitEnd()
	l.look()
	if logind.WasAsked() {
		t.Error("a lock on battery")
	}
	s := l.cfg.Settings()
	s.KeepAwake = config.AwakeAlways
	if err := l.cfg.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	l.look()
	if always := logind.Next(); always.What != "sleep:idle" || !always.IsHeld() {
		t.Errorf("%+v", always)
	}
}

// TestKeeper_LogindComesLater_IsAskedAgain: what the first goal cannot get, a later look takes.
func TestKeeper_LogindComesLater_IsAskedAgain(t *testing.T) {
	address := startBus(t)
	l := open(t, config.AwakeAlways)
	l.begin()
	l.look()
	logind := awaketest.Open(t, address)
	l.look()
	if lock := logind.Next(); !lock.IsHeld() {
		t.Error("the lock was given up")
	}
}
