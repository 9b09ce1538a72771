package app_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/goalsandbox"
)

var (
	costPairs = flag.Int("tracecost", 0,
		"pairs of runs with and without a trace, for the table in docs/performance.md")
	costChecks  = flag.String("costchecks", "", "measure only the checks whose name contains this, such as \"go test\"")
	costRunners = flag.String("runners", "../../.tools/trust/node/node_modules/.bin",
		"the folder with jest and vitest, as make deps-trust installs them")
)

// costTimeout limits one run of a check. go test compiles the standard library each time.
const costTimeout = 20 * time.Minute

// tracedCheck is a check whose trace is measured, with the files that it needs.
type tracedCheck struct {
	name, command string
	files         map[string]string
	small         bool
}

// TestTrace_Cost_IsMeasured measures what the trace adds to pre-flight and to a claim: alternating runs with and
// without a trace in one process. With -tracecost 9 it prints a table. Otherwise it runs one pair of the smallest
// check, to show that the two differ only in the trace.
func TestTrace_Cost_IsMeasured(t *testing.T) {
	runners, err := filepath.Abs(*costRunners)
	must(t, err)
	p := start(t, t.TempDir())
	checks := listCostChecks(runners)
	if *costPairs == 0 {
		checks = checks[:1]
	}
	if *costPairs > 0 {
		t.Log("\n| check | part | without, ms | with, ms | added, ms | added, of pairs | target | met |\n" +
			"|---|---|--:|--:|--:|--:|---|---|")
	}
	for _, c := range checks {
		if !strings.Contains(c.name, *costChecks) {
			continue
		}
		if program, _, _ := strings.Cut(c.command, " "); !isProgram(program) {
			t.Logf("%s: %s is not here", c.name, program)
			continue
		}
		in := policy.Policy{Risk: policy.WriteLocal}
		in.Dir = t.TempDir()
		if strings.HasPrefix(c.command, runners) {
			in.AllowRead = []string{filepath.Dir(filepath.Dir(runners))}
		}
		for name, content := range c.files {
			file := filepath.Join(in.Dir, name)
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, os.WriteFile(file, []byte(content), 0o644))
		}
		must(t, p.app.OpenTrialSandbox(t.Context(), in, func(w *goalsandbox.TrialSandbox) error {
			m := costMeasurement{t: t, sandbox: w, check: goal.Check{
				Type: goal.Shell, Command: c.command, TimeoutMS: costTimeout.Milliseconds(),
			}}
			m.run(max(1, *costPairs))
			if *costPairs > 0 {
				t.Log("\n" + m.rows(c))
			}
			return nil
		}))
	}
}

func isProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// untraced starts programs without a trace.
type untraced struct{ process.Launcher }

func (u untraced) Start(ctx context.Context, c process.Command) (process.Process, error) {
	c.Trace = false
	return u.Launcher.Start(ctx, c)
}

// costMeasurement holds the durations of one check, in pairs.
type costMeasurement struct {
	t       *testing.T
	check   goal.Check
	sandbox *goalsandbox.TrialSandbox
	// preflight and claim hold the durations without a trace and with one.
	preflight, claim [2][]time.Duration
}

func (cm *costMeasurement) run(pairs int) {
	if pairs > 1 { // the first run reads the programs from the disk
		cm.runOnce(false)
		cm.preflight, cm.claim = [2][]time.Duration{}, [2][]time.Duration{}
	}
	for n := range pairs {
		for _, traced := range []bool{n%2 == 0, n%2 != 0} {
			cm.runOnce(traced)
		}
	}
}

func (cm *costMeasurement) runOnce(traced bool) {
	cm.t.Helper()
	h := verify.CheckRunner{Environment: check.Environment{
		Launcher: cm.sandbox.Inside, Env: cm.sandbox.CheckEnv, Dir: cm.sandbox.Dir, Sandboxed: true,
	}}
	at, want := 1, goal.WasObserved
	if !traced {
		h.Environment.Launcher, at, want = untraced{h.Environment.Launcher}, 0, goal.NotObserved
	}
	ctx := cm.t.Context()
	from := time.Now()
	v := h.Preflight(ctx, cm.check)
	cm.preflight[at] = append(cm.preflight[at], time.Since(from))
	if v.Outcome != goal.AlreadyPasses || v.Observed != want {
		cm.t.Fatalf("%s: %s (%s), %s\n%s", cm.check.Command, v.Outcome, v.Detail, v.Observed, v.Output)
	}
	criterion := goal.Criterion{Checks: []goal.Check{cm.check}}
	var err error
	h.Folder, err = verify.OpenFolderState(ctx, verify.Options{
		Dir: h.Environment.Dir, Private: cm.t.TempDir(), Criterion: criterion,
		Observations: []*goal.Observation{v.Observation},
	})
	must(cm.t, err)
	from = time.Now()
	_, err = h.DecideClaim(
		ctx,
		goal.Goal{Request: goal.Request{Criterion: criterion}},
		goal.Claim{},
		func(is goal.Verdict) error {
			v = is
			return nil
		},
	)
	cm.claim[at] = append(cm.claim[at], time.Since(from))
	must(cm.t, err)
	if v.Outcome != goal.Pass || v.Observed != want {
		cm.t.Fatalf("%s: %s (%s), %s\n%s", cm.check.Command, v.Outcome, v.Detail, v.Observed, v.Output)
	}
}

// rows returns the rows of the table for a check: the medians, and the median of what the trace adds in a pair.
func (cm *costMeasurement) rows(c tracedCheck) string {
	var b strings.Builder
	for _, part := range []struct {
		name  string
		times [2][]time.Duration
	}{{"pre-flight", cm.preflight}, {"claim", cm.claim}} {
		added := make([]time.Duration, len(part.times[0]))
		ratios := make([]float64, len(added))
		for i, plain := range part.times[0] {
			added[i] = part.times[1][i] - plain
			ratios[i] = 100 * float64(added[i]) / float64(plain)
		}
		plain, traced, more, ratio := median(part.times[0]), median(part.times[1]), median(added), median(ratios)
		target, met := "≤ 30 %", ratio <= 30
		if c.small {
			target, met = "≤ 30 ms", more <= 30*time.Millisecond
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %+d | %+.0f %% | %s | %s |\n", c.name, part.name, plain.Milliseconds(),
			traced.Milliseconds(), more.Milliseconds(), ratio, target, map[bool]string{true: "yes", false: "no"}[met])
	}
	return b.String()
}

func median[T int | int64 | float64 | time.Duration](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// listCostChecks returns the measured checks, the smallest first. All pass.
func listCostChecks(runners string) []tracedCheck {
	shell := tracedCheck{
		name: "a script of one file", command: "sh check.sh", small: true,
		files: map[string]string{"check.sh": "test -f done.txt\n", "done.txt": ""},
	}
	python := tracedCheck{
		name: "python3, one file", command: "python3 check.py", small: true,
		files: map[string]string{"check.py": "import json\nassert json.loads('1') == 1\n"},
	}
	scripts := tracedCheck{
		name: "make, 30 shell scripts", command: "make check",
		files: map[string]string{
			"Makefile": "check: $(sort $(wildcard t/*.sh))\n\t@for f in $^; do sh $$f || exit 1; done\n",
		},
	}
	pytest := tracedCheck{
		name:    "pytest, 50 tests",
		command: pythonWith("pytest") + " -m pytest -q",
		files:   map[string]string{},
	}
	golang := tracedCheck{
		name: "go test, 3 packages", command: "go test ./...",
		files: map[string]string{"go.mod": "module example.org/cost\n\ngo 1.24\n"},
	}
	jest := tracedCheck{
		name: "jest, 30 tests", command: filepath.Join(runners, "jest"),
		files: map[string]string{"package.json": "{}\n"},
	}
	vitest := tracedCheck{
		name: "vitest, 30 tests", command: filepath.Join(runners, "vitest") + " run",
		files: map[string]string{"vitest.config.mjs": "export default { test: { globals: true } };\n"},
	}
	for i := range 30 {
		scripts.files[fmt.Sprintf("t/%02d.sh", i)] = fmt.Sprintf("test $((%d + 1)) -gt %d\n", i, i)
	}
	for i := range 5 {
		pytest.files[fmt.Sprintf("mod%d.py", i)] = "def add(a, b):\n    return a + b\n"
		pytest.files[fmt.Sprintf("test_mod%d.py", i)] = fmt.Sprintf(
			"import pytest\nfrom mod%d import add\n\n@pytest.mark.parametrize('n', range(10))\ndef test_add(n):\n"+
				"    assert add(n, 1) == n + 1\n", i)
	}
	for i := range 3 {
		pkg := fmt.Sprintf("p%d", i)
		golang.files[pkg+"/add.go"] = "package " + pkg + "\n\nfunc Add(a, b int) int { return a + b }\n"
		golang.files[pkg+"/add_test.go"] = "package " + pkg + "\n\nimport \"testing\"\n\n" +
			"func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"
		work := "exports.add = (a, b) => a + b;\n"
		suite := fmt.Sprintf("const { add } = require('./mod%d.js');\n", i)
		jest.files[fmt.Sprintf("mod%d.js", i)] = work
		vitest.files[fmt.Sprintf("mod%d.mjs", i)] = "export const add = (a, b) => a + b;\n"
		tests := ""
		for n := range 10 {
			tests += fmt.Sprintf("test('adds %d', () => expect(add(%d, 1)).toBe(%d));\n", n, n, n+1)
		}
		jest.files[fmt.Sprintf("mod%d.test.js", i)] = suite + tests
		vitest.files[fmt.Sprintf("mod%d.test.mjs", i)] = fmt.Sprintf("import { add } from './mod%d.mjs';\n", i) + tests
	}
	return []tracedCheck{shell, python, scripts, pytest, jest, vitest, golang}
}

// pythonWith returns a Python that has a module: the first one on the path, or the system's.
func pythonWith(module string) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	return "no-python-with-" + module
}
