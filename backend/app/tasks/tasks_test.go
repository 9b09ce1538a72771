// Package tasks_test lets a scripted agent solve tasks on Goalpost's own test pages with nothing but the tools. It uses
// a real Chromium, calls the tools as a model does, and a server judges the results. The agent finds refs and the
// secret code in the answers of the tools.
package tasks_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/waittest"
)

// TestMain lets the tests use the Chromium that their runner chose.
func TestMain(m *testing.M) {
	if err := os.Setenv(chromium, cmp.Or(os.Getenv(chromium), os.Getenv("TEST_CHROMIUM"))); err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(m)
}

// chromium is the variable that names the Chromium to use.
const chromium = "GOALPOST_CHROMIUM"

// task is a page and how to solve it. want is what the page must send, with CODE for the secret of the run.
type task struct {
	name, want string
	solve      func(*agent)
}

var most = waittest.Scale(2 * time.Minute) // for one task

// TestTasks_ScriptedAgent_SolvesThem prints a table of calls, bytes and times with -v.
func TestTasks_ScriptedAgent_SolvesThem(t *testing.T) {
	w := open(t)
	var table strings.Builder
	var calls, bytes int
	var spent time.Duration
	first := ""
	solved := 0
	for _, task := range all {
		t.Run(task.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(goal.WithRun(t.Context(), goal.Run{Goal: ours, ID: "r1"}), most)
			defer cancel()
			a := &agent{T: t, ctx: ctx, tools: w.tools, site: w.site, pane: first, task: task.name}
			task.solve(a)
			a.do("browser_wait", args{"text": "Solved", "seconds": 20})
			if got, want := w.site.got(task.name), strings.ReplaceAll(task.want, "CODE", w.site.code); got != want {
				t.Fatalf("the page sent %q, not %q", got, want)
			}
			first = a.pane
			fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", task.name, a.calls, a.spent.Milliseconds(), a.bytes)
			calls, bytes, spent, solved = calls+a.calls, bytes+a.bytes, spent+a.spent, solved+1
		})
	}
	t.Logf("\n| task | calls | ms | bytes |\n|---|--:|--:|--:|\n%s| all %d | %d | %d | %d |\n", table.String(), solved,
		calls, spent.Milliseconds(), bytes)
}

// TestTasks_Pages_AreUsedOnce checks that every page belongs to a task, and that no task exists twice.
func TestTasks_Pages_AreUsedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, task := range all {
		if names[task.name] {
			t.Errorf("the task %s is there twice", task.name)
		}
		names[task.name] = true
	}
	if len(names) < 40 {
		t.Errorf("%d tasks", len(names))
	}
	files, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]bool{"inside": true, "code": true, "members": true, "draftsent": true, "chooser2": true}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".html"); ok && !names[name] && !parts[name] {
			t.Errorf("no task uses %s", f.Name())
		}
		delete(names, strings.TrimSuffix(f.Name(), ".html"))
	}
	if left := slices.Sorted(maps.Keys(names)); len(left) > 0 {
		t.Errorf("no page for %v", left)
	}
}

var number = regexp.MustCompile(`\d{6}`)
