package browser

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/browser/internal/cdp"
)

var (
	cycles   = flag.Int("cycles", 5, "how many panes the leak test opens and closes")
	openings = flag.Int("openings", 6, "how many opening panes are navigated")
	rounds   = flag.Int("rounds", 6, "how often tests repeat what may go wrong at some moments only")
	pictures = flag.Int("pictures", 3, "how many pictures are taken of each secret that moves")
	crashes  = flag.Int("crashes", 2, "how many renderers the leak test ends")
)

// holdings counts everything that panes could leak.
func (fi *fixture) holdings() map[string]int {
	fi.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	fi.ok(err)
	h := map[string]int{"goroutines": runtime.NumGoroutine(), "descriptors": len(open)}
	fi.mu.Lock()
	h["panes"], h["sessions"] = len(fi.panes), len(fi.sessions)
	engines := maps.Clone(fi.processes)
	fi.mu.Unlock()
	for key, e := range engines {
		err := e.Do(fi.ctx, e.Alive, "", e.m.limits.call, "counting", func(c proto.Client) error {
			targets, err := cdp.Call(c, proto.TargetGetTargets{})
			if err != nil {
				return err
			}
			contexts, err := cdp.Call(c, proto.TargetGetBrowserContexts{})
			h[key+" targets"], h[key+" contexts"] = len(targets.TargetInfos), len(contexts.BrowserContextIDs)
			return err
		})
		fi.ok(err)
		// Chromium keeps a spare process ready for the next page, which starts and ends at any time.
		h[key+" processes"] = len(processesWith(e.Dir.Path))
		own, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", e.Process.Pid()))
		fi.ok(err)
		h[key+" descriptors"] = len(own)
	}
	return h
}

// slack is how much of a count may vary without a leak: Chromium has a spare process, and opens
// files of its own.
func slack(what string) int {
	switch {
	case strings.HasSuffix(what, " processes"):
		return 2
	case strings.HasSuffix(what, " descriptors"): // of Chromium: a few of each spare process
		return 20
	}
	return 0
}

// back waits until the counts are as before. Nothing signals the end of a goroutine or of another
// process's descriptor, so this checks repeatedly.
func (fi *fixture) back(before map[string]int, after string) {
	fi.Helper()
	var now map[string]int
	var left []string
	isBack := func() bool {
		now, left = fi.holdings(), nil
		for what, n := range now {
			if n > before[what]+slack(what) {
				left = append(left, fmt.Sprintf("%s: %d, there were %d", what, n, before[what]))
			}
		}
		return len(left) == 0
	}
	if !waittest.Reached(fi.ctx, patience, isBack) {
		stacks := make([]byte, 1<<20)
		fi.Fatalf("after %s there is left: %s\n%s", after, strings.Join(left, "; "), stacks[:runtime.Stack(stacks, true)])
	}
	fi.Logf("after %s: %v; before: %v", after, now, before)
}

// TestPanes_OpenedAndClosed_LeakNothing: panes that are opened, used and closed, and pages whose process ends, leave
// nothing behind. `make leaks` uses 200 panes and 50 such pages.
func TestPanes_OpenedAndClosed_LeakNothing(t *testing.T) {
	b := newOwnFixture(t)
	stays := b.open("stays", "one.html") // keeps Chromium running
	goals, err := b.Open(b.ctx, Options{ID: "goals", URL: b.url("one.html"), GoalID: "stays"})
	b.ok(err)
	b.look(goals)
	quiet := b.holdings()
	for n := range 2 { // creates what is created only once
		b.useOnce(n)
	}
	for what := range quiet {
		if !strings.HasSuffix(what, " targets") && what != "goroutines" {
			quiet[what] += 100
		}
	}
	b.back(quiet, "the first panes")
	before := b.holdings()
	for n := range *cycles {
		b.ctx = testContext(t)
		b.useOnce(n)
	}
	b.back(before, fmt.Sprintf("%d panes", *cycles))

	p := b.open("crashing", "colour.html")
	v := p.Attach()
	b.frameOf(v, red)
	for n := range *crashes {
		b.ctx = testContext(t)
		b.crash(p, n)
		b.ok(p.Navigation.Reload(b.ctx))
		b.frameOf(v, red)
		b.click(v, 10, 10)
		b.frameOf(v, blue)
	}
	v.Close()
	b.ok(b.ClosePane(b.ctx, "crashing"))
	if *crashes > 1 { // it lost its process with the others of its Chromium
		b.until(stays, "crashed", func(i pane.Info) bool { return i.Problem == faultCrashed })
		b.ok(stays.Navigation.Reload(b.ctx))
	}
	b.back(before, fmt.Sprintf("%d crashes", *crashes))
}

// useOnce opens a pane of the user or of a goal, uses it with the user's mouse or the agent's, and closes it.
func (fi *fixture) useOnce(n int) {
	fi.Helper()
	o := Options{ID: fmt.Sprintf("p%d", n), URL: fi.url("colour.html"), Width: 400, Height: 300}
	if n%2 == 1 {
		o.GoalID = fmt.Sprintf("g%d", n)
	}
	p, err := fi.Open(fi.ctx, o)
	fi.ok(err)
	v := p.Attach()
	fi.frameOf(v, red)
	if o.GoalID == "" {
		fi.click(v, 10, 10)
	} else {
		fi.act(p.Mouse.Click(fi.ctx, "css=body"))
	}
	fi.frameOf(v, blue)
	v.Close()
	if o.GoalID == "" {
		fi.ok(fi.ClosePane(fi.ctx, o.ID))
	} else {
		fi.ok(fi.CloseGoal(fi.ctx, o.GoalID))
	}
}

// crash ends the process of a pane's page, alternately as the page could and as the kernel would.
func (fi *fixture) crash(p *Pane, n int) {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	if n%2 == 0 {
		pg.Post(proto.PageCrash{})
	} else {
		for _, pid := range renderers(pg.process.Dir.Path) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // a spare process may have ended
		}
	}
	fi.until(p, "crashed", func(i pane.Info) bool { return i.Problem == faultCrashed })
}

// renderers returns the ids of the page processes of a Chromium.
func renderers(dir string) []int {
	var found []int
	for _, line := range processesWith(dir) {
		var pid int
		if _, err := fmt.Sscanf(line, "/proc/%d/cmdline", &pid); err != nil {
			continue
		}
		if args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil &&
			strings.Contains(string(args), "--type=renderer") {
			found = append(found, pid)
		}
	}
	return found
}
