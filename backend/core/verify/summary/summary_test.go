package summary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/core/verify/summary"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// What runners print at their end, as they printed it.
const (
	pytestEnd = "\x1b[1m=== test session starts ===\x1b[0m\ncollected 4 items\n\ntest_a.py ..sx  [100%]\n\n=== 2 " +
		"passed, 1 skipped, 1 xfailed, 3 warnings in 0.05s ===\n"
	jestEnd = "PASS ./a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       1 skipped, 4 passed, 5 " +
		"total\nSnapshots:   0 total\nTime:        0.3 s\nRan all test suites.\n"
	vitestEnd = " \x1b[32m✓\x1b[39m a.test.ts (8 tests)\n\n\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[32m1 " +
		"passed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m\n\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m7 " +
		"passed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m\x1b[33m1 skipped\x1b[39m\x1b[90m (8)\x1b[39m\n"
	mochaEnd = "\n  sums\n    ✔ adds\n    ✔ subtracts\n\n\n  2 passing (3ms)\n  1 pending\n\n"
	cargoEnd = "\nrunning 2 tests\ntest t::b ... ignored\ntest t::a ... ok\n\ntest result: ok. 1 passed; 0 failed; 1 " +
		"ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\nrunning 1 test\n" +
		"test src/lib.rs - f (line 1) ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered " +
		"out; finished in 0.45s\n"
	cargoCut = "\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 " +
		"filtered out; finished in 0.00s\n\n\nrunning 1 test\n"
	nextestEnd = "    Starting 3 tests across 2 binaries\n────────────\n" +
		"     Summary [   0.005s] 3 tests run: 3 passed, 0 skipped\n"
	goEnd = "=== RUN   TestA\nx--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\ncoverage: 50.0% of " +
		"statements\nok  \tx/a\t0.1s\n?   \tx/b\t[no test files]\n"
	goCut  = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s\nok  \tx/b\t0.002s\n"
	goJSON = `{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Test":"TestA",` +
		`"Output":"--- PASS: TestA (0.00s)\n"}` + "\n" +
		`{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"PASS\n"}` + "\n" +
		`{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"ok  \tx/a\t0.1s\n"}` + "\n"
	goJSONCut = `{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"ok  \tx/a\t0.1s\n"}` + "\n"
)

// TestConfirm_EachRunner_MustFinish: everything that runs in the process of a test can end it with 0, and then the
// runner has not printed what it always prints at its end.
func TestConfirm_EachRunner_MustFinish(t *testing.T) {
	const early = "did not finish"
	for _, c := range []struct {
		name, runner, output string
		outcome              goal.Outcome
		detail               string
		tests                int
	}{
		{"pytest", "pytest", pytestEnd, goal.Pass, "2 tests ran", 2},
		{
			"pytest is ended", "pytest", "=== test session starts ===\ncollected 4 items\n\n",
			goal.CheckErr, "pytest " + early, 0,
		},
		{"pytest -q", "pytest", "..\n2 passed in 0.01s\n", goal.Pass, "2 tests ran", 2},
		{"pytest twice", "pytest", "2 passed in 0.01s\n2 passed in 0.01s\n", goal.Pass, "4 tests ran", 4},
		{"unittest", "unittest", "Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", goal.Pass, "2 tests ran", 2},
		{"unittest is ended", "unittest", "..", goal.CheckErr, early, 0},
		{"node", "node --test", "# tests 2\n# suites 0\n# pass 2\n# fail 0\n", goal.Pass, "2 tests ran", 2},
		{"jest", "jest", jestEnd, goal.Pass, "4 tests ran", 4},
		{"jest is ended", "jest", "PASS a.test.js\n", goal.CheckErr, "jest " + early, 0},
		{"vitest, in colours", "vitest", vitestEnd, goal.Pass, "7 tests ran", 7},
		{"vitest finds none", "vitest", "No test files found, exiting with code 0\n", goal.Pass, "0 tests ran", 0},
		{"mocha", "mocha", mochaEnd, goal.Pass, "2 tests ran", 2},
		{"mocha is ended", "mocha", "\n  sums\n", goal.CheckErr, early, 0},
		{"cargo", "cargo test", cargoEnd, goal.Pass, "2 tests ran", 2},
		{"one program of cargo is ended", "cargo test", cargoCut, goal.CheckErr, "cargo test " + early, 0},
		{"nextest", "cargo nextest", nextestEnd, goal.Pass, "3 tests ran", 3},
		{"nextest is ended", "cargo nextest", "Starting 3 tests\n", goal.CheckErr, early, 0},
		{"go", "go test", goEnd, goal.Pass, "1 test ran", 1},
		{"one package of go is ended", "go test", goCut, goal.CheckErr, "go test " + early, 0},
		{"go in JSON", "go test", goJSON, goal.Pass, "1 test ran", 1},
		{"go in JSON is ended", "go test", goJSONCut, goal.CheckErr, early, 0},
		{"a runner that nobody knows", "prove", "", goal.Pass, "exit 0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := confirm(c.output, c.runner, []string{c.runner}, 0)
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) || v.Tests != c.tests && c.outcome == goal.Pass {
				t.Errorf("%s, %q, %d tests", v.Outcome, v.Detail, v.Tests)
			}
		})
	}
}

func confirm(output, runner string, before []string, tests int) goal.Verdict {
	v := goal.Verdict{Outcome: goal.Pass, Detail: "exit 0", Observation: &goal.Observation{Runners: []string{runner}}}
	x := summary.Expectation{Before: &goal.Observation{Ended: before}, Tests: tests}
	return x.Confirm(v, process.Output{Stdout: []byte(output), Bytes: int64(len(output))})
}

// TestConfirm_SilentInPreflight_DemandsNothing: a runner that printed no summary in pre-flight needs none now.
func TestConfirm_SilentInPreflight_DemandsNothing(t *testing.T) {
	if v := confirm("..", "pytest", nil, 0); v.Outcome != goal.Pass || v.Detail != "exit 0" {
		t.Errorf("%s, %q", v.Outcome, v.Detail)
	}
	v := goal.Verdict{Outcome: goal.Pass, Detail: "exit 0"}
	got := summary.Expectation{}.Confirm(v, process.Output{Stdout: []byte(pytestEnd)})
	if got.Tests != 0 || got.Detail != v.Detail {
		t.Errorf("not observed: %q, %d tests", got.Detail, got.Tests)
	}
}

// TestConfirm_FewerTests checks the comparison with the number of tests that ran before the start.
func TestConfirm_FewerTests(t *testing.T) {
	for _, c := range []struct {
		out     string
		outcome goal.Outcome
		fewer   int
		detail  string
	}{
		{"6 passed in 0.01s\n", goal.Pass, 0, "exit 0, 6 tests ran"},
		{"2 passed, 3 skipped in 0.01s\n", goal.Pass, 3, "2 tests ran, but 5 ran before the goal began"},
		{"5 skipped in 0.01s\n", goal.Fail, 0, "no test ran; 5 ran before the goal began"},
	} {
		v := confirm(c.out, "pytest", []string{"pytest"}, 5)
		if v.Outcome != c.outcome || v.Fewer != c.fewer || !strings.Contains(v.Detail, c.detail) {
			t.Errorf("%q: %s, %q, %d fewer", c.out, v.Outcome, v.Detail, v.Fewer)
		}
	}
}

// TestConfirm_FileThatNamedNoTest: node counts a file that ended early as one passed test.
func TestConfirm_FileThatNamedNoTest(t *testing.T) {
	dir := t.TempDir()
	text := "const { test } = require('node:test');\ntest('one', () => {});\n"
	if err := os.WriteFile(filepath.Join(dir, "a.test.js"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := "✔ a.test.js (12.5ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\n"
	v := goal.Verdict{Outcome: goal.Pass, Observation: &goal.Observation{Runners: []string{"node --test"}}}
	v = summary.Expectation{Dir: dir}.Confirm(v, process.Output{Stdout: []byte(out), Bytes: int64(len(out))})
	if v.Outcome != goal.CheckErr || !strings.Contains(v.Detail, "a.test.js") {
		t.Errorf("%s, %q", v.Outcome, v.Detail)
	}
}

// TestConfirm_RunnerListsItsTests_NamesAreKept: a list that is shorter than the number of tests is not complete, and
// is not kept. Mocha describes its failures again after its summary.
func TestConfirm_RunnerListsItsTests_NamesAreKept(t *testing.T) {
	for _, c := range []struct{ name, runner, output, want string }{
		{"go", "go test", "--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\nPASS\nok  \tx/a\t0.1s\n", "TestA,TestA/x"},
		{"go in JSON", "go test", goJSON, "TestA"},
		{"mocha", "mocha", mochaEnd, "adds,subtracts"},
		{
			"mocha that fails", "mocha",
			"\n  1) out\n\n  0 passing (3ms)\n  1 failing\n\n  1) out:\n     AssertionError\n", "out",
		},
		{"cargo", "cargo test", cargoEnd, "src/lib.rs - f (line 1),t::a"},
		{"pytest without a list", "pytest", "..\n2 passed in 0.01s\n", ""},
		{
			"pytest -v", "pytest",
			"test_a.py::test_x PASSED [50%]\ntest_a.py::test_y FAILED [99%]\n1 failed, 1 passed in 0.01s\n",
			"test_a.py::test_x,test_a.py::test_y",
		},
		{"vitest", "vitest", vitestEnd, ""},
	} {
		v := confirm(c.output, c.runner, []string{c.runner}, 0)
		if got := strings.Join(v.Observation.Tests, ","); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
