package verify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"goalpost/backend/goal"
	"goalpost/backend/verify"
)

// What runners print at their end, as they printed it. The words behind $ are the
// command; a runner that is not on this machine is a script that prints a record.
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
	nextestEnd = "    Starting 3 tests across 2 binaries\n────────────\n     Summary [   0.005s] 3 tests run: 3 passed, 0 skipped\n"
	goEnd      = "=== RUN   TestA\nx--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\ncoverage: 50.0% of " +
		"statements\nok  \tx/a\t0.1s\n?   \tx/b\t[no test files]\n"
	goCut  = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tx/a\t0.1s\nok  \tx/b\t0.002s\n"
	goJSON = `{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}` + "\n" +
		`{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"PASS\n"}` + "\n" +
		`{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"ok  \tx/a\t0.1s\n"}` + "\n"
	goJSONCut = `{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"x/a","Output":"ok  \tx/a\t0.1s\n"}` + "\n"

	early = "did not come to its end"
)

// recorded is a folder in which bin/NAME prints a record and ends with 0.
func recorded(name, record string) string {
	return "-- bin/" + name + " --\n#!/bin/sh\ncat <<'END'\n" + record + "END\n"
}

// TestARunnerComesToItsEnd: whatever runs in the process of a test can end it with
// 0, and then the runner has not said what it always says at its end. Where that is
// not known, or the line does not hang on it, nothing is demanded.
func TestARunnerComesToItsEnd(t *testing.T) {
	h := host(t)
	for _, c := range []struct {
		name, command, archive string
		outcome                goal.Outcome
		detail                 string
		tests                  int
	}{
		{"pytest ends", "bin/pytest", recorded("pytest", pytestEnd), goal.Pass, "2 tests ran", 2},
		{
			"pytest is ended", "bin/pytest", recorded("pytest", "=== test session starts ===\ncollected 4 items\n\n"),
			goal.CheckErr, "pytest " + early, 0,
		},
		{"pytest -q ends", "bin/pytest -q", recorded("pytest", "..\n2 passed in 0.01s\n"), goal.Pass, "2 tests ran", 2},
		{"pytest -q is ended", "bin/pytest -q", recorded("pytest", ".."), goal.CheckErr, early, 0},
		{"pytest -qq says nothing", "bin/pytest -qq", recorded("pytest", ".."), goal.Pass, "exit 0", 0},
		{"pytest is quiet by its settings", "bin/pytest", recorded("pytest", "..") +
			"-- pytest.ini --\n[pytest]\naddopts = -qq\n", goal.Pass, "exit 0", 0},
		{
			"pytest is quiet by the environment", "PYTEST_ADDOPTS=-qq bin/pytest", recorded("pytest", ".."), goal.Pass,
			"exit 0", 0,
		},
		{
			"pytest twice, ended once", "bin/pytest a && bin/pytest b", recorded("pytest", "2 passed in 0.01s\n"), goal.Pass,
			"4 tests ran", 4,
		},
		{"pytest only collects", "bin/pytest --co", recorded("pytest", "a\n"), goal.Pass, "exit 0", 0},
		{"jest ends", "CI=1 bin/jest --silent", recorded("jest", jestEnd), goal.Pass, "4 tests ran", 4},
		{"jest is ended", "env A=1 timeout 60 bin/jest", recorded("jest", "PASS a.test.js\n"), goal.CheckErr, "jest " +
			early, 0},
		{"jest with another reporter", "bin/jest --reporters=x", recorded("jest", ""), goal.Pass, "exit 0", 0},
		{"jest with a reporter in package.json", "bin/jest", recorded("jest", "") +
			"-- package.json --\n{\"jest\": {\"reporters\": [\"x\"]}}\n", goal.Pass, "exit 0", 0},
		{"vitest ends, in colours", "bin/vitest run", recorded("vitest", vitestEnd), goal.Pass, "7 tests ran", 7},
		{"vitest is ended", "bin/vitest run", recorded("vitest", ""), goal.CheckErr, "vitest " + early, 0},
		{
			"vitest finds none", "bin/vitest run --passWithNoTests",
			recorded("vitest", "No test files found, exiting with code 0\n"), goal.Pass, "0 tests ran", 0,
		},
		{"mocha ends", "bin/mocha", recorded("mocha", mochaEnd), goal.Pass, "2 tests ran", 2},
		{"mocha is ended", "bin/mocha", recorded("mocha", "\n  sums\n"), goal.CheckErr, "mocha " + early, 0},
		{"mocha with another reporter", "bin/mocha", recorded("mocha", "{}") +
			"-- .mocharc.json --\n{\"reporter\": \"json\"}\n", goal.Pass, "exit 0", 0},
		{"cargo ends", "bin/cargo test", recorded("cargo", cargoEnd), goal.Pass, "2 tests ran", 2},
		{"one program of cargo is ended", "bin/cargo test", recorded("cargo", cargoCut), goal.CheckErr, "cargo test " +
			early, 0},
		{"cargo only builds", "bin/cargo test --no-run", recorded("cargo", ""), goal.Pass, "exit 0", 0},
		{"nextest ends", "bin/cargo nextest run", recorded("cargo", nextestEnd), goal.Pass, "3 tests ran", 3},
		{"nextest is ended", "bin/cargo nextest run", recorded("cargo", "Starting 3 tests\n"), goal.CheckErr, early, 0},
		{"go ends", "bin/go test -v ./...", recorded("go", goEnd), goal.Pass, "1 test ran", 1},
		{"one package of go is ended", "bin/go test -v ./...", recorded("go", goCut), goal.CheckErr, "go test " + early, 0},
		{"go in JSON ends", "bin/go test -json ./...", recorded("go", goJSON), goal.Pass, "1 test ran", 1},
		{"go in JSON is ended", "bin/go test -json ./...", recorded("go", goJSONCut), goal.CheckErr, early, 0},
		{"go only builds", "bin/go test -c ./a", recorded("go", ""), goal.Pass, "exit 0", 0},

		{"in a script that decides", "sh check.sh", recorded("pytest", "") +
			"-- check.sh --\nset -e\nbin/pytest\necho well\n", goal.CheckErr, early, 0},
		{"in a script that says || exit 1", "./check.sh", recorded("pytest", "") +
			"-- check.sh --\n#!/bin/sh\nbin/pytest || { echo no; exit 1; }\necho well\n", goal.CheckErr, early, 0},
		{
			"in a target", "make test", recorded("pytest", "") + "-- Makefile --\n.PHONY: test\ntest:\n\t@bin/pytest\n",
			goal.CheckErr, early, 0,
		},
		{"in a target whose failure is ignored", "make test", recorded("pytest", "") +
			"-- Makefile --\n.PHONY: test\ntest:\n\t-bin/pytest\n", goal.Pass, "exit 0", 0},
		{
			"in the last of several", "cd sub && true; (cd .. && bin/mocha)", recorded("mocha", "") + "-- sub/x --\n",
			goal.CheckErr, early, 0,
		},

		{"what does not decide", "bin/pytest; true", recorded("pytest", ""), goal.Pass, "exit 0", 0},
		{"either of two", "bin/pytest || true", recorded("pytest", ""), goal.Pass, "exit 0", 0},
		{"under a condition", "if true; then bin/pytest; fi", recorded("pytest", ""), goal.Pass, "exit 0", 0},
		{"out of sight", "bin/pytest > log", recorded("pytest", ""), goal.Pass, "exit 0", 0},
		{"through a pipe", "bin/pytest | cat", recorded("pytest", ""), goal.Pass, "exit 0", 0},
		{"a script may end before", "sh check.sh", recorded("pytest", "") +
			"-- check.sh --\ntest -e nowhere || exit 0\nbin/pytest\n", goal.Pass, "exit 0", 0},
		{"a function of the same name", "pytest() { true; }; pytest", "", goal.Pass, "exit 0", 0},
		{"a runner that nobody knows", "bin/prove", recorded("prove", ""), goal.Pass, "exit 0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.Dir = folderOf(t, c.archive)
			h.World = world(t, verify.Options{Dir: h.Dir, Criterion: criterion(c.command)})
			v := one(t, h, shell(c.command))
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) || v.Tests != c.tests && c.outcome == goal.Pass {
				t.Errorf("%s, %q, %d tests; the output ends with %q", v.Outcome, v.Detail, v.Tests, v.Tail)
			}
		})
	}
}

const (
	goModule = "-- go.mod --\nmodule x\ngo 1.21\n-- a/a_test.go --\npackage a\nimport \"testing\"\nfunc TestF(t " +
		"*testing.T) { if F() != 1 { t.Fatal(F()) } }\nfunc TestG(t *testing.T) { t.Skip() }\n"
	nodeTests = "-- a.test.js --\nconst { test } = require('node:test');\nconst w = require('./w.js');\ntest('one', " +
		"() => { if (w() !== 1) throw w(); });\ntest('two', () => {});\n"
	unittests = "-- test_a.py --\nimport unittest\nfrom w import f\nclass A(unittest.TestCase):\n    def " +
		"test_a(self): self.assertEqual(f(), 1)\n    @unittest.skip('later')\n    def test_b(self): pass\n"
)

// TestRealRunnersComeToTheirEnd: the same with the runners themselves, of work that
// does what is asked, that does not, and that ends its own judge.
func TestRealRunnersComeToTheirEnd(t *testing.T) {
	h := host(t)
	for _, c := range []struct {
		name, program, command, archive string
		works, fails                    string
		ends                            []string
	}{
		{
			"go", "go", "go test ./...", goModule, "-- a/a.go --\npackage a\nfunc F() int { return 1 }\n",
			"-- a/a.go --\npackage a\nfunc F() int { return 2 }\n",
			[]string{
				"-- a/a.go --\npackage a\nimport \"os\"\nfunc init() { os.Exit(0) }\nfunc F() int { return 2 }\n",
				"-- a/a.go --\npackage a\nimport \"syscall\"\nfunc F() int { syscall.Exit(0); return 2 }\n",
			},
		},
		{
			"node", "node", "node --test", nodeTests, "-- w.js --\nmodule.exports = () => 1;\n",
			"-- w.js --\nmodule.exports = () => 2;\n",
			[]string{
				"-- w.js --\nprocess.exit(0);\n", "-- w.js --\nmodule.exports = () => process.exit(0);\n",
				"-- w.js --\nmodule.exports = () => process.reallyExit(0);\n",
			},
		},
		{
			"unittest", "python3", "python3 -m unittest", unittests, "-- w.py --\ndef f(): return 1\n",
			"-- w.py --\ndef f(): return 2\n",
			[]string{"-- w.py --\nimport os\ndef f(): os._exit(0)\n", "-- w.py --\nimport os\nos._exit(0)\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h
			h.Env = append([]string{"PATH=" + os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1", "HOME=" + t.TempDir()},
				goCache(t)...)
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not on this machine", c.program)
			}
			try := func(work string) goal.Verdict {
				h.Dir = folderOf(t, c.archive)
				h.World = world(t, verify.Options{Dir: h.Dir, Criterion: criterion(c.command)})
				for _, f := range txtar.Parse([]byte(work)).Files {
					write(t, h.Dir, f.Name, string(f.Data))
				}
				k := shell(c.command)
				k.TimeoutMS = 300_000
				return one(t, h, k)
			}
			ran := map[string]int{"go": 1, "node": 2, "unittest": 1}[c.name]
			if v := try(c.works); v.Outcome != goal.Pass || v.Tests != ran {
				t.Errorf("what works: %s, %q, %d tests: %s", v.Outcome, v.Detail, v.Tests, v.Tail)
			}
			if v := try(c.fails); v.Outcome != goal.Fail || v.Tests != ran {
				t.Errorf("what does not: %s, %q, %d tests: %s", v.Outcome, v.Detail, v.Tests, v.Tail)
			}
			for _, end := range c.ends {
				if v := try(end); v.Outcome != goal.CheckErr {
					t.Errorf("%q: %s, %q: %s", end, v.Outcome, v.Detail, v.Tail)
				}
			}
		})
	}
}

// goCache is what was built already: without it each run builds the library again.
func goCache(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	must(t, err)
	return []string{"GOCACHE=" + strings.TrimSpace(string(out)), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOPROXY=off"}
}

// TestTestsThatVanishAreTold: what ran before the start is counted then, is kept with
// what decides, and is compared with.
func TestTestsThatVanishAreTold(t *testing.T) {
	h := host(t)
	h.Dir = folderOf(t, recorded("pytest", "1 failed, 4 passed in 0.01s\n"))
	write(t, h.Dir, "bin/pytest", "#!/bin/sh\ncat out\ntest -e done\n")
	write(t, h.Dir, "out", "1 failed, 4 passed in 0.01s\n")
	k := shell("bin/pytest")
	before := h.Preflight(t.Context(), k)
	if before.Outcome != goal.FailsAsExpected || before.Tests != 5 {
		t.Fatalf("before the start: %s, %q, %d tests", before.Outcome, before.Detail, before.Tests)
	}
	o := verify.Options{
		Dir:       h.Dir,
		Private:   filepath.Join(t.TempDir(), "private"),
		Criterion: criterion(k.Command),
		Tests:     []int{before.Tests},
	}
	must(t, verify.RecordProtected(t.Context(), o))
	o.Tests = nil // only at the freezing
	h.World = world(t, o)
	write(t, h.Dir, "done", "")
	for _, c := range []struct {
		out     string
		outcome goal.Outcome
		fewer   int
		detail  string
	}{
		{"6 passed in 0.01s\n", goal.Pass, 0, "exit 0, 6 tests ran"},
		{"5 passed in 0.01s\n", goal.Pass, 0, "exit 0, 5 tests ran"},
		{"2 passed, 3 skipped in 0.01s\n", goal.Pass, 3, "2 tests ran, and 5 before the goal began"},
		{"5 skipped in 0.01s\n", goal.Fail, 0, "no test ran; before the goal began it was 5"},
	} {
		write(t, h.Dir, "out", c.out)
		h.World = world(t, o) // as after a restart
		if v := one(t, h, k); v.Outcome != c.outcome || v.Fewer != c.fewer || !strings.Contains(v.Detail, c.detail) {
			t.Errorf("%q: %s, %q, %d fewer", c.out, v.Outcome, v.Detail, v.Fewer)
		}
	}
}
