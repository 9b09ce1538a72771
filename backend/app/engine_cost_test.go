package app_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

var engineRuns = flag.Int("enginecost", 0, "goals with each agent to measure, for the figures in docs/performance.md")

// memoryOf adds up a field of /proc/PID/FILE, in KB, over the processes that is accepts.
func memoryOf(t *testing.T, is func(proc string) bool, file, field string) (kb int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	must(t, err)
	for _, proc := range all {
		if !is(proc) {
			continue
		}
		f, err := os.Open(filepath.Join(proc, file)) //nolint:gosec // of /proc
		if err != nil {
			continue // it has ended
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var n int
			if name, rest, _ := strings.Cut(lines.Text(), ":"); name == field {
				if _, err := fmt.Sscan(rest, &n); err == nil {
					kb += n
				}
			}
		}
		must(t, f.Close())
	}
	return kb
}

// linksTo reports whether a link of a process leads to a path.
func linksTo(link, path string) func(proc string) bool {
	return func(proc string) bool {
		target, err := os.Readlink(filepath.Join(proc, link))
		return err == nil && target == path
	}
}

// TestEngine_Cost measures goals that real agents drive: the time from the start of the turn to the first call,
// and the memory of agent and host while a command runs. With -enginecost 5 it prints medians.
func TestEngine_Cost(t *testing.T) {
	if *engineRuns == 0 {
		t.Skip("a measurement: -enginecost 5")
	}
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		self, err := os.Executable()
		must(t, err)
		isHost := linksTo("exe", self)
		before := memoryOf(t, isHost, "status", "VmRSS")
		var first []time.Duration
		var agent, host []int
		for range *engineRuns {
			dir := t.TempDir()
			p.provide(agentTurns(
				a.untilFile("begun.txt", "go.txt"), a.bash("touch done.txt"), a.claim(), modeltest.Say("claimed"),
			))
			id := p.startEngine(goal.Request{
				Options:   goal.Options{Engine: a.id},
				Objective: "cost",
				Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
				Policy:    policy.Policy{Dir: dir},
			})
			begin := p.await("the turn", func(e event.Event) bool { _, ok := e.Body.(*event.Iteration); return ok }).At
			update := p.await("the first call", func(e event.Event) bool { _, ok := e.Body.(*event.StepStarted); return ok }).At
			first = append(first, update.Sub(begin))
			awaitFile(t, filepath.Join(dir, "begun.txt"), "")
			agent = append(agent, memoryOf(t, linksTo("cwd", dir), "smaps_rollup", "Pss"))
			host = append(host, memoryOf(t, isHost, "status", "VmRSS")-before)
			touch(t, filepath.Join(dir, "go.txt"))
			if exit, reason, _ := p.result(id); exit != goal.Done {
				t.Fatalf("%s %s", exit, reason)
			}
		}
		fmt.Printf("%s: start to first call %v; memory of the agent %d MB; of the host %d MB before, %d MB more\n", a.id,
			median(first).Round(time.Millisecond), median(agent)>>10, before>>10, median(host)>>10)
		if slices.Min(agent) == 0 {
			t.Error("the agent's processes were not found")
		}
	})
}
