package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"goalpost/backend/goal"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect/detect"
)

const (
	makefile = "-- Makefile --\n.PHONY: test\ntest:\n\t@false\n"
	npm      = "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n"
	spaces   = "-- package.json --\n{\"workspaces\": [\"a\"]}\n-- a/package.json --\n{\"name\": \"a\", \"scripts\": " +
		"{\"test\": \"sh t.sh\"}}\n-- a/t.sh --\nexit 1\n"
	script   = "-- check.sh --\n#!/bin/sh\nexit 1\n"
	scripted = "-- ci/check.sh --\n#!/bin/bash\nhere=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\nsource " +
		"\"$here/lib.sh\"\npython3 \"$(dirname \"$0\")/judge.py\"\n-- ci/lib.sh --\nx=1\n-- ci/judge.py --\nexit(1)\n"
	python = "-- test_a.py --\nassert False\n"
)

// added is an archive to which lines were added at its end.
func added(archive, lines string) string { return archive + lines }

// TestCunning: ways around what is held and compared, each of which once made a
// check pass.
func TestCunning(t *testing.T) {
	for _, c := range []tampering{
		{"make: all errors are ignored", "make test", makefile, added(makefile, ".IGNORE:\n"), "+.IGNORE:"},
		{"make: a heading that is computed", "make test", makefile, added(makefile, "E=\nte$(E)st:\n\t@true\n"), "te$(E)st"},
		{
			"make: a rule that is made by a function", "make test", makefile, added(makefile, "X := $(eval test:;@true)\n"),
			"$(eval",
		},
		{
			"make: a function in another rule", "make test", makefile, added(makefile, "other: $(eval test:;@true)\n\ttrue\n"),
			"$(eval",
		},
		{"make: a shell for every target", "make test", makefile, added(makefile, "%: SHELL=/bin/true\n"), "+%: SHELL"},
		{
			"make: an environment for the tests", "make test", makefile, added(makefile, "export PYTEST_ADDOPTS=--co\n"),
			"+export",
		},
		{"make: a variable that is exported later", "make test", makefile, added(makefile, "GOFLAGS=-run=^$\n"), "+GOFLAGS"},
		{"make: everything is exported", "make test", makefile, added(makefile, "QUIET=1\nexport\n"), "+QUIET=1"},
		{
			"make: what it includes", "make test", "-- Makefile --\ninclude rules.mk\n-- rules.mk --\ntest:\n\tfalse\n",
			"-- rules.mk --\ntest:\n\ttrue\n", "-\tfalse",
		},
		{
			"make: what it would include", "make test", "-- Makefile --\n-include local.mk\ntest:\n\tfalse\n",
			"-- local.mk --\nSHELL=/bin/true\n", "local.mk has appeared",
		},
		{
			"make: the target as a file", "make test", "-- Makefile --\ntest:\n\tfalse\n", "-- test --\n1\n",
			"test has appeared",
		},
		{"make: the target is no longer phony", "make test", makefile, "-- Makefile --\ntest:\n\t@false\n", "-.PHONY: test"},
		{
			"make: another target that is phony", "make test", makefile,
			"-- Makefile --\n.PHONY: test run\ntest:\n\t@false\nPORT = 80\nrun:\n\tserve $(PORT)\n", "",
		},
		{"make: a file that it makes", "make prog", "-- Makefile --\nprog: x.c\n\tcc x.c -o prog\n", "-- prog --\n1\n", ""},
		{
			"python: another package may come", ".venv/bin/pytest", "-- .venv/bin/pytest --\n#!/bin/sh\n",
			"-- .venv/lib/python3.11/site-packages/requests/__init__.py --\nx = 1\n", "",
		},
		{
			"python: a module of the runner", "python3 -m unittest", python, "-- difflib.py --\nimport os; os._exit(0)\n",
			"difflib.py has appeared",
		},
		{
			"python: a plugin", "pytest", python, "-- x.egg-info/entry_points.txt --\n[pytest11]\n",
			"entry_points.txt has appeared",
		},
		{
			"python: settings of its next version", "pytest", python, "-- pytest.toml --\n[pytest]\n",
			"pytest.toml has appeared",
		},
		{
			"go: a TestMain with a space", "go test ./...", "-- a_test.go --\npackage a\n",
			"-- b_test.go --\npackage a\nfunc TestMain (m *testing.M) {}\n", "b_test.go has appeared",
		},
		{
			"go: a file that ends the tests", "go test ./...", "-- a_test.go --\npackage a\n",
			"-- b_test.go --\npackage a\nfunc init(){os.Exit(0)}\n", "b_test.go has appeared",
		},
		{
			"go: a module that is taken from the folder", "go test ./...", "-- go.mod --\nmodule x\nrequire (\n\ty v1.0.0\n)\n",
			"-- go.mod --\nmodule x\nrequire y v1.0.0\nreplace (\n\ty => ./y\n)\n", "+replace y => ./y",
		},
		{
			"go: another module is required", "go test ./...", "-- go.mod --\nmodule x\n",
			"-- go.mod --\nmodule x\n\nrequire z v1.2.0 // indirect\n", "",
		},
		{
			"go: modules beside the work", "go test ./...", "-- go.mod --\nmodule x\n",
			"-- vendor/modules.txt --\n# y v1.0.0\n", "vendor/modules.txt has appeared",
		},
		{
			"python: a module of the runner, compiled", "python3 -m unittest", python, "-- argparse.pyc --\n1\n",
			"argparse.pyc has appeared",
		},
		{
			"python: a module of the runner as a library", "python3 -m unittest", python,
			"-- signal.cpython-311-x86_64-linux-gnu.so --\n1\n", "linux-gnu.so has appeared",
		},
		{
			"python: a package of the runner, compiled", "pytest", python, "-- json/__init__.pyc --\n1\n",
			"json/__init__.pyc has appeared",
		},
		{"python: a file that is only called so", "pytest", python, "-- time.txt --\n1\n-- types.ts --\n1\n", ""},
		{
			"python: a plugin of a new test", "pytest", python, "-- test_0.py --\npytest_plugins = ['evil']\n",
			"test_0.py has appeared",
		},
		{
			"python: a package that says which tests it has", "python3 -m unittest discover -s t -t .",
			"-- t/a_test.py --\n1\n", "-- t/__init__.py --\ndef load_tests(*a): pass\n", "t/__init__.py has appeared",
		},
		{"python: an empty package", "python3 -m unittest", python, "-- t/__init__.py --\nx = 1\n", ""},
		{"python: a snapshot", "pytest", "-- __snapshots__/a.ambr --\n1\n", "-- __snapshots__/a.ambr --\n2\n", "-1\n+2"},
		{"cargo: a snapshot", "cargo test", "-- src/snapshots/a.snap --\n1\n", "-- src/snapshots/a.snap --\n2\n", "-1\n+2"},
		{
			"js: a snapshot beside the work", "npx jest", "-- src/__snapshots__/a.test.js.snap --\n1\n",
			"-- src/__snapshots__/a.test.js.snap --\n2\n", "-1\n+2",
		},
		{
			"js: a mock of what is installed", "npx jest", "-- a.test.js --\n1\n", "-- __mocks__/chai.js --\n1\n",
			"__mocks__/chai.js has appeared",
		},
		{
			"js: modules nearer to the tests", "npx mocha", "-- test/a.js --\n1\n",
			"-- test/node_modules/chai/index.js --\n1\n", "test/node_modules has appeared",
		},
		{
			"js: modules of a package of its own", "npx mocha", "-- p/package.json --\n{}\n-- p/a.test.js --\n1\n",
			"-- p/node_modules/chai/index.js --\n1\n", "",
		},
		{
			"js: another package manager", "npm test", npm,
			"-- package.json --\n{\"scripts\": {\"test\": \"jest\"}, \"packageManager\": \"yarn@9.9.9\"}\n", "packageManager",
		},
		{"js: settings that vitest takes", "npx vitest", npm, "-- vite.config.ts --\n1\n", "vite.config.ts has appeared"},
		{
			"js: yarn that brings itself along", "yarn test", npm, "-- .yarn/releases/yarn-9.cjs --\n1\n",
			"yarn-9.cjs has appeared",
		},
		{"js: yarn runs a program", "yarn jest", "-- a.test.js --\n1\n", "-- a.test.js --\n2\n", "-1\n+2"},
		{"js: pnpm runs a program", "pnpm vitest run", "-- a.test.js --\n1\n", "-- a.test.js --\n2\n", "-1\n+2"},
		{
			"js: a script of a workspace", "npm test -w a", spaces,
			"-- a/package.json --\n{\"name\": \"a\", \"scripts\": {\"test\": \"true\"}}\n", `"scripts.test": "true"`,
		},
		{"js: what a script of a workspace runs", "yarn workspace a test", spaces, "-- a/t.sh --\nexit 0\n", "-exit 1"},
		{"js: filtered", "pnpm --filter a test", spaces, "-- a/t.sh --\nexit 0\n", "-exit 1"},
		{
			"cargo: tests are not looked for", "cargo test", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- Cargo.toml --\n[package]\nname='x'\nautotests = false\n", "+autotests",
		},
		{
			"cargo: another compiler", "cargo test", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- rust-toolchain.toml --\n[toolchain]\npath='x'\n", "rust-toolchain.toml has appeared",
		},
		{
			"gradle: every task is off", "gradle test", "-- build.gradle --\ndependencies {\n}\n",
			"-- build.gradle --\ndependencies {\n}\ntasks.all { enabled = false }\n", "+tasks.all",
		},
		{
			"gradle: a plugin of the folder", "gradle test", "-- build.gradle --\n1\n",
			"-- buildSrc/src/main/java/X.java --\n1\n", "X.java has appeared",
		},
		{
			"maven: modules", "mvn test", "-- pom.xml --\n<project><modules><module>a</module></modules></project>\n",
			"-- pom.xml --\n<project><modules></modules></project>\n", "modules",
		},
		{"sh: by way of eval", "eval 'sh check.sh'", script, "-- check.sh --\nexit 0\n", "+exit 0"},
		{"sh: by its whole path", `sh "$PWD/check.sh"`, script, "-- check.sh --\nexit 0\n", "+exit 0"},
		{"sh: by a variable", "S=check.sh; sh ./$S", script, "-- check.sh --\nexit 0\n", "+exit 0"},
		{"sh: what a script reads beside it", "bash ci/check.sh", scripted, "-- ci/lib.sh --\nexit 0\n", "+exit 0"},
		{"sh: a judge beside the script", "bash ci/check.sh", scripted, "-- ci/judge.py --\nexit(0)\n", "+exit(0)"},
		{"python: a judge", "python3 check.py out.txt", "-- check.py --\nexit(1)\n", "-- check.py --\nexit(0)\n", "+exit(0)"},
	} {
		t.Run(c.name, c.try)
	}
}

// TestARunnerIsNotReplaced: what comes into an installation and would be the runner.
func TestARunnerIsNotReplaced(t *testing.T) {
	for _, c := range []tampering{
		{
			"npm: a runner that npm finds first", "npm test", added(npm, "-- node_modules/.bin/jest --\n#!/usr/bin/env node\n"),
			"-- node_modules/.bin/node --\n#!/bin/sh\nexit 0\n", "node_modules/.bin/node (new)",
		},
		{
			"python: a file that is read at the start", ".venv/bin/pytest", "-- .venv/bin/pytest --\n#!/bin/sh\n",
			"-- .venv/lib/python3.11/site-packages/zz.pth --\nimport os; os._exit(0)\n", "zz.pth (new)",
		},
		{
			"python: another interpreter", ".venv/bin/pytest", "-- .venv/bin/pytest --\n#!/bin/sh\n",
			"-- .venv/bin/python3 --\n#!/bin/sh\n", ".venv/bin/python3 (new)",
		},
		{
			"python: the environment of uv", "uv run pytest", added(python, "-- .venv/bin/pytest --\n#!/bin/sh\n"),
			"-- .venv/bin/pytest --\n#!/bin/sh\nexit 0\n", ".venv/bin/pytest",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folderOf(t, c.archive)
			w := world(t, verify.Options{Dir: dir, Private: filepath.Join(t.TempDir(), "p"), Criterion: criterion(c.command)})
			for _, f := range txtar.Parse([]byte(c.tamper)).Files {
				write(t, dir, f.Name, string(f.Data))
			}
			v := one(t, verify.CheckRunner{Dir: dir, World: w}, shell(c.command))
			if v.Outcome != goal.Fail || !strings.Contains(v.Tail, c.diff) {
				t.Errorf("the verdict is %s, %q, %q", v.Outcome, v.Detail, v.Tail)
			}
		})
	}
}

// TestAScriptByItsAbsolutePath is a script of the folder all the same.
func TestAScriptByItsAbsolutePath(t *testing.T) {
	dir := folderOf(t, script)
	list, err := detect.FindProtected(t.Context(), dir, criterion("sh "+dir+"/check.sh", "cd "+dir+" && ./check.sh"), nil,
		nil)
	must(t, err)
	if got := namesOf(list, detect.KindLocked); got != "check.sh" || len(list[0].Checks) != 2 {
		t.Errorf("held: %s %+v", got, list)
	}
}

// TestWhatThePersonProtectsIsThere: also where git ignores it; and a pattern that
// protects nothing is told.
func TestWhatThePersonProtectsIsThere(t *testing.T) {
	dir := folderOf(t, "-- .gitignore --\n.env\ntests/golden/\n-- .env --\nA=1\n-- tests/golden/a --\n1\n")
	list, err := detect.FindProtected(t.Context(), dir, criterion("true"), []string{".env", "tests/**"}, nil)
	must(t, err)
	if got := namesOf(list, detect.KindLocked); got != ".env, tests/golden/a" {
		t.Errorf("held: %s", got)
	}
	_, err = detect.FindProtected(t.Context(), dir, criterion("true"), []string{"spec/**"}, nil)
	if err == nil || !strings.Contains(err.Error(), "no file in the folder is like that") {
		t.Errorf("a pattern for nothing: %v", err)
	}
}

// TestPuttingBackDoesNotFollowLinks: a folder that became a link leads nothing astray.
func TestPuttingBackDoesNotFollowLinks(t *testing.T) {
	dir := folderOf(t, "-- tests/pre-commit --\n1\n-- .git/hooks/sample --\nx\n")
	w := world(t, verify.Options{
		Dir:       dir,
		Private:   filepath.Join(t.TempDir(), "p"),
		Criterion: criterion("true"),
		Protect:   []string{"tests/**"},
	})
	must(t, os.RemoveAll(filepath.Join(dir, "tests")))
	must(t, os.Symlink(".git/hooks", filepath.Join(dir, "tests")))
	_, _, err := w.RestoreProtected(t.Context())
	must(t, err)
	if _, err := os.Lstat(filepath.Join(dir, ".git/hooks/pre-commit")); err == nil {
		t.Error("a hook was written")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "tests/pre-commit")); err != nil || string(b) != "1\n" {
		t.Errorf("the test is %q, %v", b, err)
	}
}
