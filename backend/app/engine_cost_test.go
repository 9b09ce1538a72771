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

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/model/modeltest"
)

var engineRuns = flag.Int("enginecost", 0, "goals with OpenCode to measure, for the figures in docs/performance.md")

// memoryOf adds up a field of /proc/PID/FILE, in KB, of the processes whose program has this path.
func memoryOf(t *testing.T, program, file, field string) (kb, count int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	must(t, err)
	for _, link := range all {
		if target, err := os.Readlink(link); err != nil || target != program {
			continue
		}
		f, err := os.Open(filepath.Join(filepath.Dir(link), file)) //nolint:gosec // of /proc
		if err != nil {
			continue // it has ended
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var n int
			if name, rest, _ := strings.Cut(lines.Text(), ":"); name == field {
				if _, err := fmt.Sscan(rest, &n); err == nil {
					kb, count = kb+n, count+1
				}
			}
		}
		must(t, f.Close())
	}
	return kb, count
}

// TestEngine_Cost measures a goal that OpenCode drives: the time from the start of its turn to its first update, and
// the memory of agent and host while its command runs. With -enginecost 5 it prints medians.
func TestEngine_Cost(t *testing.T) {
	if *engineRuns == 0 {
		t.Skip("a measurement: -enginecost 5")
	}
	a := withOpenCode(t)
	p := start(t, t.TempDir())
	self, err := os.Executable()
	must(t, err)
	before, _ := memoryOf(t, self, "status", "VmRSS")
	var first []time.Duration
	var agent, host []int
	for range *engineRuns {
		dir := t.TempDir()
		p.provide(agentTurns(
			a.untilFile("begun.txt", "go.txt"),
			a.bash("touch done.txt"),
			a.claim(),
			modeltest.Say("claimed"),
		))
		id := p.startEngine(api.StartInput{Objective: "cost", Checks: shell("test -f done.txt"), Dir: dir})
		begin := p.await("the turn", func(e event.Event) bool { _, ok := e.Body.(*event.Iteration); return ok }).At
		update := p.await("the first call", func(e event.Event) bool { _, ok := e.Body.(*event.StepStarted); return ok }).At
		first = append(first, update.Sub(begin))
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		programs, err := filepath.Glob("../../.tools/opencode-1.18.33/node_modules/opencode-linux-*/bin/opencode")
		must(t, err)
		sum := 0
		for _, program := range programs {
			path, err := filepath.Abs(program)
			must(t, err)
			kb, _ := memoryOf(t, path, "smaps_rollup", "Pss")
			sum += kb
		}
		agent = append(agent, sum)
		now, _ := memoryOf(t, self, "status", "VmRSS")
		host = append(host, now-before)
		touch(t, filepath.Join(dir, "go.txt"))
		if exit, reason, _ := p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
	}
	slices.Sort(first)
	slices.Sort(agent)
	slices.Sort(host)
	mid := *engineRuns / 2
	fmt.Printf("start to first call %v (%v to %v); memory of the agent %d MB; of the host %d MB before, %d MB more\n",
		first[mid].Round(time.Millisecond), first[0].Round(time.Millisecond), first[*engineRuns-1].Round(time.Millisecond),
		agent[mid]>>10, before>>10, host[mid]>>10)
	if agent[0] == 0 {
		t.Error("the agent's processes were not found")
	}
}
