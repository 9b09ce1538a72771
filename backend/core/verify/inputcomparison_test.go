package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// tracedLauncher starts programs without a sandbox, and reports one trace for all that ask for one.
type tracedLauncher struct {
	process.Launcher
	trace *process.Trace
}

type tracedProcess struct {
	process.Process
	trace process.Trace
}

func (t tracedProcess) Trace() process.Trace { return t.trace }

func (t *tracedLauncher) Start(ctx context.Context, c process.Command) (process.Process, error) {
	traced := c.Trace
	c.Domain, c.Held, c.Trace = "", nil, false
	p, err := t.Launcher.Start(ctx, c)
	if err != nil || !traced || t.trace == nil {
		return p, err
	}
	return tracedProcess{p, *t.trace}, nil
}

// observedGoal is a goal with one check whose pre-flight was observed.
type observedGoal struct {
	verify.CheckRunner
	launcher *tracedLauncher
	options  verify.Options
	check    goal.Check
}

// uses returns a trace of "sh check.sh" that also contains the listed uses, such as "read lib.sh". "lookup- env.sh" is
// a lookup of a missing file.
func (o *observedGoal) uses(list ...string) *process.Trace {
	t := &process.Trace{Programs: []process.TracedProgram{{
		Path: "/usr/bin/dash", Args: []string{"sh", "check.sh"}, Dir: o.Environment.Dir,
	}, {
		Path: "/usr/bin/python3", Args: []string{"python3", "test_a.py"}, Dir: o.Environment.Dir,
	}}}
	for _, line := range append([]string{"read check.sh"}, list...) {
		use, name, _ := strings.Cut(line, " ")
		a := process.FileAccess{
			Path: filepath.Join(o.Environment.Dir, name),
			Use:  process.FileUse(strings.TrimSuffix(use, "-")),
		}
		a.Missing = strings.HasSuffix(use, "-")
		if strings.HasSuffix(name, ".py") {
			a.Program = 1
		}
		t.Accesses = append(t.Accesses, a)
	}
	return t
}

// newObservedGoal makes a goal whose check is "sh check.sh". It passes once the file work is there.
func newObservedGoal(t *testing.T, files map[string]string, before ...string) *observedGoal {
	t.Helper()
	h := host(t)
	g := &observedGoal{
		CheckRunner: h, launcher: &tracedLauncher{Launcher: h.Environment.Launcher},
		check: shell("sh check.sh"),
	}
	g.Environment.Launcher, g.Environment.Sandboxed = g.launcher, true
	g.check.NoRerun = true // the launcher knows one trace
	write(t, g.Environment.Dir, "check.sh", "test -f work\n")
	for name, text := range files {
		write(t, g.Environment.Dir, name, text)
	}
	g.launcher.trace = g.uses(before...)
	v := g.Preflight(t.Context(), g.check)
	if v.Outcome != goal.FailsAsExpected || v.Observed != goal.WasObserved {
		t.Fatalf("pre-flight: %+v", v)
	}
	g.options = verify.Options{
		Dir: g.Environment.Dir, Private: filepath.Join(t.TempDir(), "p"),
		Criterion:    goal.Criterion{Checks: []goal.Check{g.check}},
		Observations: []*goal.Observation{v.Observation},
	}
	if err := verify.RecordProtected(t.Context(), g.options); err != nil {
		t.Fatal(err)
	}
	g.options.Observations = nil // the observations are stored, so the option is not needed
	g.Folder = world(t, g.options)
	write(t, g.Environment.Dir, "work", "done\n")
	return g
}

func (o *observedGoal) claim(t *testing.T, uses ...string) goal.Verdict {
	t.Helper()
	o.launcher.trace = o.uses(uses...)
	return one(t, o.CheckRunner, o.check)
}

func TestClaim_ChangedCode_IsListed(t *testing.T) {
	g := newObservedGoal(t, map[string]string{"calc.py": "1\n", "test_a.py": "1\n"}, "read test_a.py",
		"lookup- work")
	write(t, g.Environment.Dir, "calc.py", "2\n")
	v := g.claim(t, "read test_a.py", "read calc.py", "lookup work")
	want := []string{"calc.py (changed, code)", "work (new, data)"}
	if v.Outcome != goal.Pass || v.Observed != goal.WasObserved || !slices.Equal(describe(v.Changes), want) {
		t.Errorf("the verdict is %s (%s), %q", v.Outcome, v.Detail, describe(v.Changes))
	}
	if v.Assurance != goal.Weakened || !strings.Contains(v.AssuranceReason, "calc.py") {
		t.Errorf("it is %s: %s", v.Assurance, v.AssuranceReason)
	}
}

func TestClaim_NothingChanged_IsStrong(t *testing.T) {
	g := newObservedGoal(t, nil, "lookup- work")
	v := g.claim(t, "lookup work") // the script only looks for this file
	if v.Outcome != goal.Pass || v.Assurance != goal.Weakened ||
		!slices.Equal(describe(v.Changes), []string{"work (new, data)"}) {
		t.Errorf("the verdict is %s, %s (%s), %q", v.Outcome, v.Assurance, v.Detail, describe(v.Changes))
	}
	g.check.Command = "sh check.sh && test -f work" // now the command itself names the file
	if v := g.claim(t, "lookup work"); v.Outcome != goal.Pass || v.Assurance != goal.Strong {
		t.Errorf("the verdict is %s, %s (%s)", v.Outcome, v.Assurance, v.AssuranceReason)
	}
}

func TestClaim_OptionalScript_IsTampered(t *testing.T) {
	g := newObservedGoal(t, nil, "lookup- env.sh")
	write(t, g.Environment.Dir, "env.sh", "exit 0\n")
	v := g.claim(t, "read env.sh")
	if v.Outcome != goal.Tampered || !strings.Contains(v.Detail, "env.sh (new, script)") ||
		!strings.Contains(v.Tail, "+exit 0") || len(v.Changes) != 1 || v.Changes[0].Reason == "" {
		t.Fatalf("the verdict is %s (%s), %q", v.Outcome, v.Detail, v.Tail)
	}
	// The user can restore the folder, which removes the new script.
	files, aside, err := protection(t, g.options).RestoreAll(t.Context())
	if err != nil || !slices.Equal(files, []string{"env.sh"}) {
		t.Fatalf("put back: %q, %v", files, err)
	}
	if text, err := os.ReadFile(filepath.Join(aside, "env.sh")); err != nil || string(text) != "exit 0\n" {
		t.Errorf("aside is %q, %v", text, err)
	}
	if v := g.claim(t); v.Outcome != goal.Pass {
		t.Errorf("then it is %s (%s)", v.Outcome, v.Detail)
	}
	// The user can also accept the script.
	write(t, g.Environment.Dir, "env.sh", "exit 0\n")
	accepted, err := protection(t, g.options).Accept(t.Context())
	if err != nil || len(accepted) != 1 || accepted[0].SHA256 == "" {
		t.Fatalf("accepted: %v, %v", accepted, err)
	}
	g.Folder = world(t, g.options)
	if v := g.claim(t, "read env.sh"); v.Outcome != goal.Pass || !slices.Equal(describe(v.Changes),
		[]string{"env.sh (new, script)"}) {
		t.Errorf("accepted it is %s (%s), %q", v.Outcome, v.Detail, describe(v.Changes))
	}
	// Accepting one version does not accept the next one.
	write(t, g.Environment.Dir, "env.sh", "exit 0 # again\n")
	if v := g.claim(t, "read env.sh"); v.Outcome != goal.Tampered {
		t.Errorf("changed again it is %s (%s)", v.Outcome, v.Detail)
	}
}

func TestClaim_ModeOfAProgram_IsPutBack(t *testing.T) {
	g := newObservedGoal(t, map[string]string{"strict": "#!/bin/sh\n"}, "execute strict")
	if err := os.Chmod(filepath.Join(g.Environment.Dir, "strict"), 0o755); err != nil {
		t.Fatal(err)
	}
	v := g.claim(t)
	if v.Outcome != goal.Tampered || !strings.Contains(v.Tail, "strict (mode, program)") {
		t.Fatalf("the verdict is %s (%s), %q", v.Outcome, v.Detail, v.Tail)
	}
	files, _, err := protection(t, g.options).RestoreAll(t.Context())
	if err != nil || !slices.Equal(files, []string{"strict"}) {
		t.Fatalf("put back: %q, %v", files, err)
	}
	if info, err := os.Stat(filepath.Join(g.Environment.Dir, "strict")); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
	if v := g.claim(t); v.Outcome != goal.Pass {
		t.Errorf("then it is %s (%s)", v.Outcome, v.Detail)
	}
}

// TestClaim_ChangedRunner_IsTheUsersToAccept: the agent can repair this by installing the same versions again.
// Otherwise the user decides, for all changed files at once.
func TestClaim_ChangedRunner_IsTheUsersToAccept(t *testing.T) {
	const lib, other = "node_modules/run/lib.py", "node_modules/run/other.py"
	g := newObservedGoal(t, map[string]string{"test_a.py": "1\n", lib: "1\n", other: "1\n"},
		"read test_a.py", "read "+lib, "read "+other)
	change := func(text string) {
		write(t, g.Environment.Dir, lib, text)
		write(t, g.Environment.Dir, other, text)
	}
	expect := func(about string, outcome goal.Outcome) goal.Verdict {
		t.Helper()
		v := g.claim(t, "read test_a.py", "read "+lib, "read "+other)
		if v.Outcome != outcome {
			t.Errorf("%s: the verdict is %s (%s)", about, v.Outcome, v.Detail)
		}
		return v
	}
	change("2\n")
	v := expect("changed", goal.Fail)
	if !strings.Contains(v.Detail, "install the same versions again") || len(v.Changes) != 2 {
		t.Errorf("it says %q of %q", v.Detail, describe(v.Changes))
	}
	if diff, err := g.Folder.Tampered(t.Context()); err != nil || diff != "" {
		t.Errorf("between two claims the agent may install again: %q, %v", diff, err)
	}
	if v := expect("still changed", goal.Tampered); !strings.Contains(v.Tail, "+"+lib) {
		t.Errorf("it shows %q", v.Tail)
	}
	if files, _, err := protection(t, g.options).RestoreAll(t.Context()); err != nil || len(files) > 0 {
		t.Errorf("put back: %q, %v", files, err)
	}
	change("1\n")
	expect("installed again", goal.Pass)
	change("3\n")
	p := protection(t, g.options)
	list, err := p.Changes(t.Context())
	if err != nil || len(list) != 1 || list[0].Path != "node_modules" || !strings.Contains(list[0].Diff, other) {
		t.Fatalf("the user is shown %+v, %v", list, err)
	}
	accepted, err := p.Accept(t.Context(), protect.Version{Path: "node_modules", SHA256: list[0].SHA256})
	if err != nil || len(accepted) != 1 || accepted[0].SHA256 != list[0].SHA256 {
		t.Fatalf("accepted: %v, %v", accepted, err)
	}
	g.Folder = world(t, g.options)
	if v := expect("accepted", goal.Pass); len(v.Changes) < 2 || v.Assurance != goal.Weakened {
		t.Errorf("it lists %q, %s", describe(v.Changes), v.Assurance)
	}
	change("4\n")
	expect("changed again", goal.Tampered)
}

func TestClaim_IncompleteTrace_ProvesNothing(t *testing.T) {
	g := newObservedGoal(t, nil)
	trace := g.uses()
	trace.Incomplete = "more than 100000 files"
	g.launcher.trace = trace
	v := one(t, g.CheckRunner, g.check)
	if v.Outcome != goal.CheckErr || v.Tries != 2 || !strings.Contains(v.Detail, "more than 100000 files") ||
		v.Observed != goal.PartlyObserved {
		t.Errorf("the verdict is %s, %d tries (%s)", v.Outcome, v.Tries, v.Detail)
	}
}

func TestClaim_WithoutTrace_SaysSo(t *testing.T) {
	g := newObservedGoal(t, nil)
	g.launcher.trace = nil
	v := one(t, g.CheckRunner, g.check)
	if v.Outcome != goal.Pass || v.Observed != goal.NotObserved || v.Assurance != goal.Weakened ||
		!strings.Contains(v.AssuranceReason, "could not observe") {
		t.Errorf("the verdict is %s, observed %q, %s (%s)", v.Outcome, v.Observed, v.Assurance, v.AssuranceReason)
	}
}

func describe(list []goal.FileChange) []string {
	var lines []string
	for _, f := range list {
		lines = append(lines, f.Path+" ("+f.Change+", "+string(f.Role)+")")
	}
	return lines
}
