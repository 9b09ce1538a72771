package cgroup_test

import (
	"reflect"
	"testing"
	"time"

	"goalpost/backend/host/sandbox/cgroup"
)

// openFakeScope returns a scope of the fake kernel.
func openFakeScope(t *testing.T, k *fakeKernel) *cgroup.Scope {
	t.Helper()
	address := startBus(t)
	startSystemd(t, address, makeScope(k))
	scope, err := cgroup.NewManager(address, k.proc, time.Minute).Open(t.Context(), "01JD/x", helperPID, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scope.Close(); err != nil {
			t.Error(err)
		}
	})
	return scope
}

// A program as the kernel shows it. The names contain what separates the fields.
const (
	running = " S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n"
	killed  = " R 1 1 1 0 -1 4195588 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0\n" // with PF_SIGNALED
	pending = "Name:\tx\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n"
)

func TestReportKills_NewKills_AreReportedOnceWithTheirPrograms(t *testing.T) {
	k := newFakeKernel(t)
	scope := openFakeScope(t, k)
	reportKills := func() (list []cgroup.Kill) {
		scope.ReportKills(func(kill cgroup.Kill) { list = append(list, kill) })
		return list
	}
	if got := reportKills(); got != nil {
		t.Errorf("before any: %v", got)
	}
	k.write(k.proc, "100/stat", "100 (sh)"+running)
	k.write(k.proc, "101/stat", "101 (cc1 (2) x)"+killed)
	k.write(k.proc, "102/stat", "102 (tail)"+running)
	k.write(k.proc, "102/status", pending)
	k.write(k.mount, scopeDir(unit)+"/cgroup.procs", "100\n101\n102\n103\n")
	k.write(k.mount, scopeDir(unit)+"/memory.events", "max 9\noom 2\noom_kill 3\n")
	want := []cgroup.Kill{{PID: 101, Program: "cc1 (2) x", Count: 1}, {PID: 102, Program: "tail", Count: 2}, {Count: 3}}
	if got := reportKills(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := reportKills(); got != nil {
		t.Errorf("a second time: %v", got)
	}
	k.write(k.mount, scopeDir(unit)+"/cgroup.procs", "100\n")
	k.write(k.mount, scopeDir(unit)+"/memory.events", "max 9\noom 2\noom_kill 4\n")
	want = []cgroup.Kill{{Count: 4, Outside: true}}
	if got := reportKills(); !reflect.DeepEqual(got, want) {
		t.Errorf("the limit was not reached again: %+v, want %+v", got, want)
	}
}

func TestWatch_ChangedCounters_AreReported(t *testing.T) {
	k := newFakeKernel(t)
	scope := openFakeScope(t, k)
	kills := make(chan cgroup.Kill, 1)
	if err := scope.Watch(func() { scope.ReportKills(func(kill cgroup.Kill) { kills <- kill }) }); err != nil {
		t.Fatal(err)
	}
	k.write(k.mount, scopeDir(unit)+"/memory.events", "max 9\noom 1\noom_kill 1\n")
	if got := <-kills; got.Count != 1 || got.Outside {
		t.Errorf("%+v", got)
	}
}
