package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
)

// preflightFiles is the folder of TestPreflight_MissingParts. Each script in check/ fails for one reason.
var preflightFiles = map[string]string{
	"check/module.sh":   "python3 -m nosuchrunner -q\n",
	"check/quiet.sh":    "python3 -m nosuchrunner -q > /dev/null 2>&1 || exit 1\n",
	"check/log.sh":      "python3 -m nosuchrunner -q > log.txt 2>&1\ngrep -q passed log.txt\n",
	"check/program.sh":  "nosuchprogram --all || { echo 'not good'; exit 3; }\n",
	"check/probe.sh":    "command -v nosuchprogram > /dev/null || exit 1\n",
	"check/wrapped.sh":  "env A=1 timeout 20 nosuchprogram || exit 1\n",
	"check/source.sh":   ". ./check/nosuch-env.sh\ntest -f done.txt\n",
	"check/script.sh":   "sh check/nosuch.sh || exit 1\n",
	"check/main.sh":     "python3 check/nosuch.py || exit 1\n",
	"check/node.sh":     "node check/nosuch.js || exit 1\n",
	"check/target.sh":   "make -s nosuchtarget || exit 1\n",
	"check/npm.sh":      "npm run nosuchscript || exit 1\n",
	"check/optional.sh": "command -v nosuchprogram && nosuchprogram\npython3 test_later.py\n",
	"check/extra.sh":    "python3 -m nosuchrunner 2> /dev/null\ntest -f done.txt\n",
	"check/if.sh":       "if [ -f check/nosuch-env.sh ]; then . check/nosuch-env.sh; fi\ntest -f done.txt\n",
	"check/output.sh":   "test \"$(sh nosuch-app.sh)\" = good\n",
	"check/work.sh":     "./nosuch-app --version || exit 1\n",
	"Makefile": "broken:\n\tnosuchprogram --all\nquiet:\n\t@nosuchprogram; exit $$?\n" +
		"needs: nosuch.o\nfails:\n\tpython3 test_later.py\n",
	"package.json":    `{"scripts": {"test": "nosuchrunner --ci", "later": "node test_later.js"}}`,
	"test_later.py":   "import later\nassert later.add(2, 2) == 4\n",
	"test_later.js":   "require('./later.js');\n",
	"test_starts.py":  "import subprocess, sys\nsys.exit(subprocess.run('nosuchprogram --all', shell=True).returncode)\n",
	"test_script.py":  "import subprocess, sys\nsys.exit(subprocess.run(['sh', 'build.sh']).returncode)\n",
	"test_says.py":    "print('make: *** No rule to make target \\'fails\\'.  Stop.'); raise SystemExit(2)\n",
	"pkg/__main__.py": "import pkg.later\n", "pkg/__init__.py": "",
	"test_unit.py": "import unittest\nimport later\n",
}

// missingPytest returns "pytest" if the module is missing on this machine, otherwise "".
func missingPytest() string {
	if exec.Command("python3", "-c", "import pytest").Run() != nil {
		return "pytest"
	}
	return ""
}

// TestPreflight_MissingParts_CannotRunOrFails: a check that lacks a part of itself cannot run, even if a script hides
// its output. A check whose test lacks what it tests only fails now, because making that is the work.
func TestPreflight_MissingParts_CannotRunOrFails(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	in := policy.Policy{Risk: policy.WriteLocal}
	in.Dir = t.TempDir()
	for name, content := range preflightFiles {
		file := filepath.Join(in.Dir, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(content), 0o644))
	}
	must(t, p.app.OpenTrialSandbox(t.Context(), in, func(w *goalsandbox.TrialSandbox) error {
		h := verify.CheckRunner{
			Environment: check.Environment{Launcher: w.Inside, Env: w.CheckEnv, Dir: w.Dir, Sandboxed: true},
		}
		for _, c := range []struct{ command, missing string }{
			{"python3 -m nosuchrunner", "nosuchrunner"},
			{"sh check/module.sh", "nosuchrunner"},
			{"nosuchprogram --all", "nosuchprogram"},
			{"sh check/program.sh", "nosuchprogram"},
			{"bash check/program.sh", "nosuchprogram"},
			{"sh check/probe.sh", "nosuchprogram"},
			{"sh check/wrapped.sh", "nosuchprogram"},
			{"sh check/source.sh", "check/nosuch-env.sh"},
			{"sh check/script.sh", "check/nosuch.sh"},
			{"sh check/main.sh", "check/nosuch.py"},
			{"sh check/node.sh", "check/nosuch.js"},
			{"make nosuchtarget", "nosuchtarget"},
			{"sh check/target.sh", "nosuchtarget"},
			{"make broken", "nosuchprogram"},
			{"make -s quiet", "nosuchprogram"},
			{"npm test --silent", "nosuchrunner"},
			{"sh check/npm.sh", "nosuchscript"},

			{"sh check/quiet.sh", ""}, // nothing says it
			{"sh check/log.sh", ""},
			{"python3 test_later.py", ""},
			{"python3 -m unittest -q test_unit", ""},
			{"python3 -m pkg", ""},
			{"python3 -m pytest -q test_unit.py", missingPytest()},
			{"node test_later.js", ""},
			{"npm run later --silent", ""},
			{"make fails", ""},
			{"make needs", ""},
			{"python3 test_starts.py", ""},
			{"python3 test_script.py", ""},
			{"python3 test_says.py", ""},
			{"./nosuch-app --version", ""},
			{"test \"$(sh nosuch-app.sh)\" = good", ""},
			{"make -s nosuchtarget 2> make.log | grep -q good", ""},
			{"sh check/optional.sh", ""},
			{"sh check/extra.sh", ""},
			{"sh check/if.sh", ""},
			{"sh check/output.sh", ""},
			{"sh check/work.sh", ""},
			{"grep -q good out.txt", ""},
		} {
			if program, _, _ := strings.Cut(c.command, " "); !isProgram(program) && strings.HasPrefix(program, "n") &&
				program != "nosuchprogram" {
				t.Logf("%s: not here", c.command)
				continue
			}
			v := h.Preflight(t.Context(), goal.Check{Type: goal.Shell, Command: c.command, TimeoutMS: late.Milliseconds()})
			want := goal.FailsAsExpected
			if c.missing != "" {
				want = goal.CheckUnrunnable
			}
			if v.Outcome != want || v.Missing != c.missing {
				t.Errorf("%s: %s, missing %q (%s)\n%s", c.command, v.Outcome, v.Missing, v.Detail, v.Tail)
			}
		}
		return nil
	}))
}
