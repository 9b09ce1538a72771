package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
)

// TestProjects_WithoutNetwork_AreBuilt: a goal at write_local builds projects with the user's toolchains, warm caches
// and git.
func TestProjects_WithoutNetwork_AreBuilt(t *testing.T) {
	asOrdinaryUser(t)
	w := newSpec(t)
	// Caches of the user: what a program adds to them stays in the goal.
	cache := filepath.Join(w.Home, ".cache", "pip")
	write(t, filepath.Join(cache, "warm"), "yes", 0o644)
	w.Caches = []spec.Cache{{From: cache, To: cache}}
	// Without a cache, as an ordinary user in these tests has none, Go would first compile its standard library, which
	// takes longer than all other tests together.
	builds := "go build ./..."
	if warm, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output(); err == nil {
		from := strings.TrimSpace(string(warm))
		w.Caches = append(w.Caches, spec.Cache{From: from, To: filepath.Join(w.Home, ".cache", "go-build")})
		if _, err := os.ReadDir(from); err == nil {
			builds = "go test ./..."
		}
	}
	w.Tools = mounts.Toolchains(w.Home, os.Getenv)
	write(t, filepath.Join(w.Dir, "gop", "go.mod"), "module p\n\ngo 1.20\n", 0o644)
	write(t, filepath.Join(w.Dir, "gop", "p.go"), "package p\n\nfunc Two() int { return 2 }\n", 0o644)
	write(t, filepath.Join(w.Dir, "gop", "p_test.go"),
		"package p\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fail()\n\t}\n}\n", 0o644)
	write(t, filepath.Join(w.Dir, "lib", "package.json"), `{"name":"lib","version":"1.0.0","main":"index.js"}`, 0o644)
	write(t, filepath.Join(w.Dir, "lib", "index.js"), "module.exports = 2\n", 0o644)
	write(t, filepath.Join(w.Dir, "node", "package.json"), `{"name":"n","version":"1.0.0"}`, 0o644)
	write(t, filepath.Join(w.Dir, "python", "test_two.py"),
		"import unittest\n\nclass Two(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1 + 1, 2)\n", 0o644)
	s := openSandbox(t, w)
	for _, project := range []struct{ needs, script string }{
		{"go", "cd gop && export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local && " + builds},
		{"npm", "cd lib && npm pack --silent && cd ../node && npm install --silent --no-audit --no-fund " +
			"../lib/lib-1.0.0.tgz && node -e 'if (require(\"lib\") !== 2) process.exit(1)'"},
		{"python3", "cat ~/.cache/pip/warm && echo more > ~/.cache/pip/more && cd python && /usr/bin/env python3 -m " +
			"unittest -q && python3 -m venv --without-pip v && v/bin/python -c 'import json'"},
		{"git", "git init -q --bare origin.git && git clone -q origin.git clone 2>&1 && cd clone && echo x > a && git " +
			"add a && git -c user.name=a -c user.email=a@b commit -qm one && git push -q origin HEAD && git log --oneline | " +
			"grep one"},
	} {
		t.Run(project.needs, func(t *testing.T) {
			found, err := exec.LookPath(project.needs)
			if err != nil {
				t.Skip(project.needs + " is not installed")
			}
			c := inside(w, project.script)
			path := "PATH=" + plainPath[len("PATH="):] + ":" + filepath.Dir(found)
			c.Env = environ.ForAgent([]string{path}, w)
			if text, status := output(t, s, c); status.Code != 0 {
				t.Errorf("%s: %s\n%s", project.needs, status, text)
			}
		})
	}
	if list, err := os.ReadDir(cache); err != nil || len(list) != 1 {
		t.Errorf("the user's cache holds %d entries, %v", len(list), err)
	}
}

// BenchmarkStartInside measures how long a sandboxed command takes.
func BenchmarkStartInside(b *testing.B) {
	w := newSpec(b)
	s := openSandbox(b, w)
	for name, domain := range map[string]process.Domain{"agent": "", "check": process.DomainCheck} {
		b.Run(name, func(b *testing.B) {
			c := inside(w, "")
			c.Argv, c.Domain = []string{"true"}, domain
			for b.Loop() {
				output(b, s, c)
			}
		})
	}
}
