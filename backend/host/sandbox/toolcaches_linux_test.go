package sandbox_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
)

// TestToolCaches_OfTheAgent_AreHiddenFromChecks: a compiled file can tell Python not to compare it with its source, so
// that a failing test passes. An isolated Python also ignores the variables that name another cache.
func TestToolCaches_OfTheAgent_AreHiddenFromChecks(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const attack = `mkdir -p deep; cat > /tmp/fake.py <<'END'
import unittest
class T(unittest.TestCase):
    def test(self): pass
END
	python3 - <<'END'
import importlib.util, py_compile
for name in "test_it.py", "deep/test_it.py":
    py_compile.compile("/tmp/fake.py", importlib.util.cache_from_source(name), name, True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
END
`
	const verdict = "python3 -E -m unittest test_it 2>&1; echo $?; cd deep; python3 -E -m unittest test_it 2>&1; echo $?"
	for name, move := range map[string]string{
		"a folder": "",
		"a link": "mv __pycache__ stored; ln -s stored __pycache__; " +
			"mv deep/__pycache__ more; ln -s $PWD/more deep/__pycache__",
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			const failing = "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail('real')\n"
			real := write(t, filepath.Join(w.Dir, "test_it.py"), failing, 0o644)
			write(t, filepath.Join(w.Dir, "deep", "test_it.py"), failing, 0o644)
			copied := write(t, filepath.Join(filepath.Dir(w.Layer), "held"), failing, 0o444)
			s := openSandbox(t, w)
			agent := inside(w, attack+move)
			for i, entry := range agent.Env {
				if strings.HasPrefix(entry, "PYTHONPYCACHEPREFIX=") {
					agent.Env[i] = "UNUSED="
				}
			}
			if text, status := output(t, s, agent); status.Code != 0 {
				t.Fatal(text, status)
			}
			if text, _ := output(t, s, inside(w, verdict)); strings.Count(text, "\nOK\n0\n") != 2 {
				t.Fatalf("the attack does not work for the agent: %s", text)
			}
			for kind, held := range map[string][]process.FileOverride{
				"protected files":    {{Path: real, Copy: copied}},
				"no protected files": nil,
			} {
				text, status := output(t, s, check(w, verdict, held...))
				if strings.Count(text, "AssertionError: real") != 2 || strings.Contains(text, "OK") {
					t.Errorf("a check with %s: %v\n%s", kind, status, text)
				}
			}
			if text, _ := output(t, s, inside(w, "ls deep/__pycache__")); !strings.Contains(text, "test_it") {
				t.Errorf("the agent's files are gone: %s", text)
			}
		})
	}
}

// TestToolCaches_WithProtectedFiles_CanBeRemoved: caches can be removed, as "make clean" does, and created again.
func TestToolCaches_WithProtectedFiles_CanBeRemoved(t *testing.T) {
	w := newSpec(t)
	real := write(t, filepath.Join(w.Dir, "check.sh"), "true\n", 0o644)
	write(t, filepath.Join(w.Dir, "a", "b", "__pycache__", "x.pyc"), "x", 0o644)
	write(t, filepath.Join(w.Dir, ".mypy_cache", "3.12", "x.json"), "x", 0o644)
	write(t, filepath.Join(w.Dir, "a", "b", "y"), "kept\n", 0o644)
	s := openSandbox(t, w)
	const script = "find . -name __pycache__ -o -name .mypy_cache | sort; find . -name x.* ; cat a/b/y; " +
		"rm -r a/b/__pycache__ .mypy_cache; mkdir .mypy_cache && touch .mypy_cache/z && ls .mypy_cache"
	want := "./.mypy_cache\n./a/b/__pycache__\nkept\nz\n"
	if text, status := output(t, s, check(w, script, process.FileOverride{Path: real, Copy: real})); text != want ||
		status.Code != 0 {
		t.Errorf("%q %v, want %q", text, status, want)
	}
	if !there(filepath.Join(w.Dir, "a", "b", "__pycache__", "x.pyc"))() {
		t.Error("the check changed the folder")
	}
	waitGone(t, filepath.Join(w.Layer, "checks"))
}
