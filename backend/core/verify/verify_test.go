package verify_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host returns a goal's folder with a few files, and a launcher that starts real programs.
func host(tb testing.TB) verify.CheckRunner {
	tb.Helper()
	set, err := sandbox.Open(tb.Context(), sandbox.Options{Helper: sandboxtest.Helper(tb), Name: tb.Name()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	dir := tb.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		tb.Fatal(err)
	}
	for name, target := range map[string]string{"out": "/", "in": "sub"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{
		"done.txt": 0o600,
		"sub/here": 0o600,
		"plain.sh": 0o600,
		"run.sh":   0o700,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), mode); err != nil {
			tb.Fatal(err)
		}
	}
	return verify.CheckRunner{
		Environment: check.Environment{
			Launcher: set,
			Env:      []string{"PATH=/usr/local/bin:/usr/bin:/bin", "WORD=from-env"},
			Dir:      dir,
		},
	}
}

func shell(command string) goal.Check { return goal.Check{Type: goal.Shell, Command: command} }

// one decides a criterion of one check.
func one(tb testing.TB, h verify.CheckRunner, c goal.Check) goal.Verdict {
	tb.Helper()
	var got []goal.Verdict
	found, err := h.DecideClaim(tb.Context(), goal.Goal{
		Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{c}}},
	}, goal.Claim{}, func(v goal.Verdict) error {
		got = append(got, v)
		return nil
	})
	if err != nil || len(got) != 1 {
		tb.Fatalf("%d verdicts, %v", len(got), err)
	}
	if (found == goal.Verified) != (got[0].Outcome == goal.Pass) {
		tb.Errorf("the criterion says %s and its only check %s", found, got[0].Outcome)
	}
	return got[0]
}

func TestShell_EachCommand_HasItsVerdict(t *testing.T) {
	h := host(t)
	for _, c := range []struct {
		name    string
		check   goal.Check
		outcome goal.Outcome
		code    int
		detail  string // part of it
	}{
		{"pass", shell("test -f done.txt"), goal.Pass, 0, "exit 0"},
		{"fail", shell("test -f missing.txt"), goal.Fail, 1, "exited with 1, expected 0"},
		{"the environment is the goal's", shell(`test "$WORD" = from-env && test -z "$HOME"`), goal.Pass, 0, ""},
		{"wanted exit code", goal.Check{Type: goal.Shell, Command: "exit 3", ExitCode: 3}, goal.Pass, 3, "exit 3"},
		{"0 although 3 is wanted", goal.Check{
			Type:     goal.Shell,
			Command:  "true",
			ExitCode: 3,
		}, goal.Fail, 0, "exited with 0, expected 3"},
		{"killed by a signal", shell("kill -KILL $$"), goal.Fail, -1, "signal 9"},
		{"a signal is no exit code", goal.Check{
			Type:     goal.Shell,
			Command:  "kill -KILL $$",
			ExitCode: -1,
		}, goal.Fail, -1, "signal 9"},
		{"no such program", shell("no-such-program --now"), goal.Fail, 127, "exited with 127"},
		{"in a folder", goal.Check{Type: goal.Shell, Command: "test -f here", Dir: "sub"}, goal.Pass, 0, ""},
		{"in a folder with dots", goal.Check{
			Type:    goal.Shell,
			Command: "test -f here",
			Dir:     "./sub/../sub",
		}, goal.Pass, 0, ""},
		{"in a folder that is missing", goal.Check{
			Type:    goal.Shell,
			Command: "true",
			Dir:     "nowhere",
		}, goal.Fail, 0, "its folder nowhere does not exist"},
		{"in a folder outside", goal.Check{
			Type:    goal.Shell,
			Command: "true",
			Dir:     "../..",
		}, goal.CheckErr, 0, "not inside the goal's folder"},
		{"in an absolute folder", goal.Check{
			Type:    goal.Shell,
			Command: "true",
			Dir:     "/",
		}, goal.CheckErr, 0, "not inside the goal's folder"},
		{"in a folder that is a link out", goal.Check{
			Type:    goal.Shell,
			Command: "true",
			Dir:     "out",
		}, goal.CheckErr, 0, "leads out of the goal's folder"},
		{"in a folder that is a link inside", goal.Check{
			Type:    goal.Shell,
			Command: "test -f here",
			Dir:     "in",
		}, goal.Pass, 0, ""},
		{"too slow", goal.Check{
			Type:      goal.Shell,
			Command:   "echo waiting; sleep 1000",
			TimeoutMS: 300,
		}, goal.CheckErr, -1, "did not end within 300 ms"},
		{"another type", goal.Check{Type: "oracle", Command: "true"}, goal.CheckErr, 0, `"oracle"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := one(t, h, c.check)
			if v.Outcome != c.outcome || v.ExitCode != c.code || !strings.Contains(v.Detail, c.detail) {
				t.Errorf("%s, exit %d, %q", v.Outcome, v.ExitCode, v.Detail)
			}
			if v.Name != c.check.Name() || v.Check != 0 {
				t.Errorf("it is called %d %q", v.Check, v.Name)
			}
		})
	}
}

func TestEvidence_Output_IsStoredAndHashed(t *testing.T) {
	h := host(t)
	for _, c := range []struct{ script, output string }{
		{"printf 'all is well\\n'", "all is well\n"},
		{"printf 'wrong\\n' >&2; exit 1", "wrong\n"},
		{"printf 'out\\n'; printf 'err\\n' >&2", "out\n\n--- stderr ---\nerr\n"},
		{"true", ""},
	} {
		v := one(t, h, shell(c.script))
		sum := sha256.Sum256([]byte(c.output))
		want := hex.EncodeToString(sum[:])
		if c.output == "" {
			want = ""
		}
		if string(v.Output) != c.output || v.Evidence != want {
			t.Errorf("%s: %q with evidence %s, want %q with %s", c.script, v.Output, v.Evidence, c.output, want)
		}
	}
	if v := one(t, h, shell("head -c 3000000 /dev/zero")); v.Bytes != 3000000 || len(v.Output) > 1<<20+100 {
		t.Errorf("%d bytes written, %d kept", v.Bytes, len(v.Output))
	}
}

func TestTail_EachOutput_IsShortText(t *testing.T) {
	h := host(t)
	for _, c := range []struct{ script, want string }{
		{
			"for n in 1 2 3 4 5 6 7 8; do echo out $n; echo err $n >&2; done; exit 1",
			"err 1\nerr 2\nerr 3\nerr 4\nerr 5\nerr 6\nerr 7\nerr 8\nout 1\nout 2\nout 3\nout 4\nout 5\nout 6\nout 7\nout 8",
		},
		{"echo only out", "only out"},
		{"printf '\\n\\n'", ""},
		{"printf 'a\\377b'", "a\uFFFDb"},
	} {
		if v := one(t, h, shell(c.script)); v.Tail != c.want {
			t.Errorf("%s: %q, want %q", c.script, v.Tail, c.want)
		}
	}
	v := one(t, h, shell("head -c 100000 /dev/zero | tr '\\0' x; echo; echo the end"))
	if len(v.Tail) > 4100 || !strings.HasPrefix(v.Tail, "…") || !strings.HasSuffix(v.Tail, "x\nthe end") {
		t.Errorf("%d bytes of tail: %.20q", len(v.Tail), v.Tail)
	}
}

func TestCriterion_AllOrAny_Decides(t *testing.T) {
	h := host(t)
	pass, fail, broken := shell("true"), shell("false"), goal.Check{Type: goal.Shell, Command: "true", Dir: "/"}
	for _, c := range []struct {
		name   string
		checks []goal.Check
		any    bool
		want   bool
	}{
		{"all pass", []goal.Check{pass, pass}, false, true},
		{"one fails", []goal.Check{pass, fail}, false, false},
		{"an error is no pass", []goal.Check{pass, broken}, false, false},
		{"any: one passes", []goal.Check{fail, broken, pass}, true, true},
		{"any: none passes", []goal.Check{fail, broken}, true, false},
		{"no check decides nothing", nil, false, false},
		{"no check decides nothing with any", nil, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			got, err := h.DecideClaim(t.Context(), goal.Goal{
				Request: goal.Request{Criterion: goal.Criterion{Checks: c.checks, Any: c.any}},
			}, goal.Claim{}, func(v goal.Verdict) error {
				if v.Check != n {
					t.Errorf("verdict %d is of check %d", n, v.Check)
				}
				n++
				return nil
			})
			if err != nil || (got == goal.Verified) != c.want || n != len(c.checks) {
				t.Errorf("%v after %d verdicts, %v", got, n, err)
			}
		})
	}
}

// TestCriterion_Stopped_HasNoResult: a verification that was stopped says nothing about the checks.
func TestCriterion_Stopped_HasNoResult(t *testing.T) {
	h := host(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the user pressed abort")
	found, err := h.DecideClaim(ctx, goal.Goal{
		Request: goal.Request{
			Criterion: goal.Criterion{Checks: []goal.Check{shell("true"), shell("true"), shell("true")}},
		},
	}, goal.Claim{}, func(goal.Verdict) error {
		cancel(stop)
		return nil
	})
	if found != "" || !errors.Is(err, stop) {
		t.Errorf("%v, %v", found, err)
	}
	full := errors.New("the disk is full")
	n := 0
	found, err = h.DecideClaim(t.Context(), goal.Goal{
		Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{shell("true"), shell("true")}}},
	}, goal.Claim{}, func(goal.Verdict) error {
		n++
		return full
	})
	if found != "" || !errors.Is(err, full) || n != 1 {
		t.Errorf("%v after %d verdicts, %v", found, n, err)
	}
	during, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer end()
	found, err = h.DecideClaim(during, goal.Goal{
		Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{shell("sleep 1000")}}},
	}, goal.Claim{}, func(v goal.Verdict) error {
		t.Errorf("%s of a check that was cut off", v.Outcome)
		return nil
	})
	if found != "" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", found, err)
	}
}

func TestPreflight_EachCheck_HasItsOutcome(t *testing.T) {
	h := host(t)
	for _, c := range []struct {
		name    string
		check   goal.Check
		outcome goal.Outcome
		detail  string
	}{
		{"fails now", shell("test -f missing.txt"), goal.FailsAsExpected, "fails now"},
		{"a script that fails", shell("./run.sh"), goal.FailsAsExpected, "exited with 1"},
		{"passes already", shell("test -f done.txt"), goal.AlreadyPasses, "already passes"},
		{"the wanted code already", goal.Check{
			Type:     goal.Shell,
			Command:  "exit 3",
			ExitCode: 3,
		}, goal.AlreadyPasses, "exit 3"},
		{"unknown word", shell("frobnicate --all"), goal.CheckUnrunnable, "command not found: frobnicate"},
		{"unknown word behind an assignment", shell("A=1 frobnicate"), goal.CheckUnrunnable, "command not found: frobnicate"},
		{"a syntax error", shell("if true; then"), goal.CheckUnrunnable, "cannot read"},
		{"an open quote", shell("echo 'never closed"), goal.CheckUnrunnable, "cannot read"},
		{"too slow", goal.Check{
			Type:      goal.Shell,
			Command:   "sleep 1000",
			TimeoutMS: 300,
		}, goal.CheckUnrunnable, "did not end"},
		{"a folder outside", goal.Check{Type: goal.Shell, Command: "false", Dir: ".."}, goal.CheckUnrunnable, "not inside"},
		{"a folder that is missing", goal.Check{
			Type:    goal.Shell,
			Command: "false",
			Dir:     "nowhere",
		}, goal.FailsAsExpected, "its folder nowhere does not exist yet"},
		{
			"a script that is to be written", shell("./missing.sh --all"), goal.FailsAsExpected,
			"./missing.sh does not exist yet",
		},
		{"a script that is to be written below", goal.Check{
			Type:    goal.Shell,
			Command: "tools/check.sh",
			Dir:     "sub",
		}, goal.FailsAsExpected, "tools/check.sh does not exist yet"},
		{"a script without the right to run", shell("./plain.sh"), goal.CheckUnrunnable, "exit 126"},
		{"an absolute program that is missing", shell("/opt/no/such/program"), goal.CheckUnrunnable, "/opt/no/such/program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := h.Preflight(t.Context(), c.check)
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) {
				t.Errorf("%s, %q", v.Outcome, v.Detail)
			}
			if v.Name != c.check.Name() {
				t.Errorf("it is called %q", v.Name)
			}
		})
	}
}

// TestPreflight_SyntaxError_RunsNothing checks that the lines before the error are not run either.
func TestPreflight_SyntaxError_RunsNothing(t *testing.T) {
	h := host(t)
	v := h.Preflight(t.Context(), shell("touch ran\nif true; then"))
	if v.Outcome != goal.CheckUnrunnable {
		t.Errorf("%s", v.Outcome)
	}
	if _, err := os.Lstat(filepath.Join(h.Environment.Dir, "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first line was run: %v", err)
	}
}

// FuzzPreflight checks that no command makes the parser panic, and that reading a command never makes its check pass.
func FuzzPreflight(f *testing.F) {
	h := host(f)
	for _, s := range []string{
		"false", "$(", "a=`", "<<E\n$(b)\nE", "case x in esac", "\xff\xfe", "((1", "f() { f; }",
		"'",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return
		}
		// Nothing after exit is run, but sh and the parser read all of it.
		if v := h.Preflight(t.Context(), shell("exit 127\n"+s)); v.Outcome != goal.CheckUnrunnable &&
			v.Outcome != goal.FailsAsExpected {
			t.Errorf("%q: %s", s, v.Outcome)
		}
	})
}
