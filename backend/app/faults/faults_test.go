package faults_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	all   = flag.Bool("all", false, "try every fault, not only the quick ones")
	write = flag.Bool("write", false, "write docs/reliability.md")
)

// fault is something that fails around a goal.
type fault struct {
	group, name string
	// isSlow says that the fault is only tried with -all.
	isSlow bool
	// try makes it fail, and returns what was wrong about the result, "" if the fault was held.
	try func(*testing.T) string
}

// result is how a fault ended.
type result struct {
	fault
	problem string
}

// TestFaults tries the faults. One that is not held fails the test.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	var mu sync.Mutex
	var results []result
	faults := slices.Concat(modelFaults(), processFaults(), databaseFaults(), folderFaults())
	t.Run("of", func(t *testing.T) {
		for _, f := range faults {
			if f.isSlow && !*all {
				continue
			}
			t.Run(f.group+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				problem := f.try(t)
				if problem != "" {
					t.Error(problem)
				}
				mu.Lock()
				defer mu.Unlock()
				results = append(results, result{f, problem})
			})
		}
	})
	if *write {
		page := filepath.Join("..", "..", "..", "docs", "reliability.md")
		if err := os.WriteFile(page, []byte(report(results)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// report formats the page of the results.
func report(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# What a goal survives

Written by `+"`make faults`"+` on %s, on %s/%s, as user %d. Each fault happens to a real goal that
takes some steps. It is **held** if no work is lost in silence and the goal ends done by itself, or after the one
action that its message names.

| fault | tried | held |
|---|--:|--:|
`, time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, os.Getuid())
	var groups []string
	for _, r := range results {
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		}
	}
	slices.Sort(groups)
	tried, held := 0, 0
	var failed []string
	for _, g := range groups {
		n, ok := 0, 0
		var names []string
		for _, r := range results {
			if r.group != g {
				continue
			}
			n++
			names = append(names, r.name)
			if r.problem == "" {
				ok++
			} else {
				failed = append(failed, fmt.Sprintf("- %s, %s: %s", g, r.name, r.problem))
			}
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "| **%s**: %s | %d | %d |\n", g, strings.Join(names, ", "), n, ok)
		tried, held = tried+n, held+ok
	}
	fmt.Fprintf(&b, "| **all** | %d | %d |\n", tried, held)
	if len(failed) > 0 {
		slices.Sort(failed)
		b.WriteString("\n## Not held\n" + strings.Join(failed, "\n") + "\n")
	}
	return b.String()
}
