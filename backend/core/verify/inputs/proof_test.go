package inputs_test

import (
	"strings"
	"testing"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// TestProof_ChangedInputs_LowerTheLevel: a changed result that the check examines keeps the level. A file that may
// be expected output, a setting, an option or a program lowers it.
func TestProof_ChangedInputs_LowerTheLevel(t *testing.T) {
	type file struct {
		path   string
		change string
	}
	for _, c := range []struct {
		name, command string
		program       []string
		read          []file
		want          string // in the reason, "" is strong
	}{
		{"a result", "grep -q good out.txt", []string{"grep", "-q", "good", "out.txt"}, []file{{"out.txt", "changed"}}, ""},
		{
			"a new result of two", "cmp wanted.txt out.txt",
			[]string{"cmp", "wanted.txt", "out.txt"},
			[]file{{"wanted.txt", ""}, {"out.txt", "new"}},
			"",
		},
		{
			"a yardstick", "cmp wanted.txt out.txt",
			[]string{"cmp", "wanted.txt", "out.txt"},
			[]file{{"wanted.txt", "changed"}, {"out.txt", "new"}},
			"wanted.txt",
		},
		{"a hidden file", "curl -sf host", []string{"curl", "-sf", "host"}, []file{{".env", "new"}}, ".env"},
		{
			"a text that runs", "python3 -m doctest guide.txt",
			[]string{"python3", "-m", "doctest", "guide.txt"},
			[]file{{"guide.txt", "changed"}},
			"guide.txt",
		},
		{
			"a start-up file", "test $(sqlite3 -init a.sql db) = 1",
			[]string{"sqlite3", "-init", "a.sql", "db"},
			[]file{{"a.sql", "changed"}},
			"a.sql",
		},
		{"the repository", "git show HEAD:a", []string{"git", "show", "HEAD:a"}, []file{{".git/HEAD", ""}}, "repository"},
	} {
		traced := process.TracedProgram{Path: "/usr/bin/" + c.program[0], Args: c.program, Dir: "/w"}
		trace := process.Trace{Programs: []process.TracedProgram{traced}}
		var changes []goal.FileChange
		for _, f := range c.read {
			trace.Accesses = append(trace.Accesses, process.FileAccess{Path: "/w/" + f.path, Use: process.UseRead})
			if f.change != "" {
				changes = append(changes, goal.FileChange{Path: f.path, Change: f.change, SHA256: "now"})
			}
		}
		o := inputs.Observe(trace, inputs.Scope{Dir: "/w", Command: c.command})
		p, _ := inputs.PassedCheck{Scope: inputs.Scope{Dir: "/w", Command: c.command}, After: o, Changes: changes}.Assess()
		level, reason := p.Assurance, p.AssuranceReason
		if (level == goal.Strong) != (c.want == "") || !strings.Contains(reason, c.want) {
			t.Errorf("%s: %s, %q", c.name, level, reason)
		}
	}
}

// TestProof_PreflightDidMore_LowersTheLevel: a program that no longer reads what it judged may have ended with an
// error. A file that the check no longer makes may come from the agent.
func TestProof_PreflightDidMore_LowersTheLevel(t *testing.T) {
	grep := goal.ObservedProgram{Name: "grep", Command: "grep -q TODO out.txt"}
	other := goal.ObservedProgram{Name: "grep", Command: "grep -q good"}
	reads := []goal.UsedFile{{Path: "out.txt", Role: goal.RoleData}}
	change := goal.FileChange{Path: "out.txt", Role: goal.RoleData, Change: "changed", SHA256: "now"}
	for _, c := range []struct {
		name        string
		before, now goal.Observation
		want        string // in the reason, "" is strong
	}{
		{
			"the same program reads nothing",
			goal.Observation{Programs: []goal.ObservedProgram{grep}, Files: reads},
			goal.Observation{Programs: []goal.ObservedProgram{grep}},
			"read none",
		},
		{
			"no program of the name reads anything",
			goal.Observation{Programs: []goal.ObservedProgram{grep}, Files: reads},
			goal.Observation{Programs: []goal.ObservedProgram{other}},
			"read none",
		},
		{
			"another one reads its input only",
			goal.Observation{Programs: []goal.ObservedProgram{grep}, Files: reads},
			goal.Observation{Programs: []goal.ObservedProgram{grep, other}, Files: reads},
			"",
		},
		{
			"the check did not come to the program",
			goal.Observation{Programs: []goal.ObservedProgram{grep}, Files: reads},
			goal.Observation{},
			"",
		},
		{
			"a file that the check made before",
			goal.Observation{Written: []string{"out.txt"}},
			goal.Observation{Programs: []goal.ObservedProgram{grep}, Files: reads},
			"did not make it this time",
		},
	} {
		p, _ := inputs.PassedCheck{
			Scope: inputs.Scope{Dir: "/w", Command: grep.Command}, Before: &c.before,
			After: &c.now, Changes: []goal.FileChange{change},
		}.Assess()
		level, reason := p.Assurance, p.AssuranceReason
		if (level == goal.Strong) != (c.want == "") || !strings.Contains(reason, c.want) {
			t.Errorf("%s: %s, %q", c.name, level, reason)
		}
	}
}

// TestProof_UnreadableFile_LowersTheLevel: a program that cannot read a file gets an error instead of its content,
// but the trace only shows that the file was opened.
func TestProof_UnreadableFile_LowersTheLevel(t *testing.T) {
	grep := goal.ObservedProgram{Name: "grep", Command: "grep -q TODO out.txt"}
	o := goal.Observation{
		Programs: []goal.ObservedProgram{grep},
		Files:    []goal.UsedFile{{Path: "out.txt", Role: goal.RoleData}},
	}
	for sum, want := range map[string]goal.Assurance{"": goal.Weakened, "now": goal.Strong} {
		change := goal.FileChange{Path: "out.txt", Role: goal.RoleData, Change: "changed", SHA256: sum}
		p, _ := inputs.PassedCheck{
			Scope: inputs.Scope{Dir: "/w", Command: "! " + grep.Command}, Before: &o,
			After: &o, Changes: []goal.FileChange{change},
		}.Assess()
		level, reason := p.Assurance, p.AssuranceReason
		if level != want || (want == goal.Weakened) != strings.Contains(reason, "out.txt cannot be read") {
			t.Errorf("%q: %s, %q", sum, level, reason)
		}
	}
}

// TestLacksTarget_NamedTarget checks that a target is the work only if the command names it and the makefile has no
// rule for it.
func TestLacksTarget_NamedTarget(t *testing.T) {
	const makefile = "test build: a\n\ttrue\n.PHONY: test\nNAME := hello\n"
	for _, c := range []struct {
		command, makefile string
		want              bool
	}{
		{"make -s hello 2> log | grep -q good", makefile, true},
		{"make test", makefile, false},
		{"make -s build", makefile, false},
		{"make", makefile, false},
		{"make A=hello", makefile, false},
		{"sh hello", makefile, false},
		{"make hello", makefile + "include more.mk\n", false},
		{"make hello.o", "%.o: %.c\n\tcc -c $<\n", false},
	} {
		if got := inputs.LacksTarget(c.command, c.makefile); got != c.want {
			t.Errorf("%s: %v", c.command, got)
		}
	}
}
