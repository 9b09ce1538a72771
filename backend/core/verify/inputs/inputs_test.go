package inputs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// attempt is a change of a goal's folder between pre-flight and a claim, with the traces of the check before and after
// it.
type attempt struct {
	Name          string                    `json:"name"`
	Language      string                    `json:"language"`
	Kind          string                    `json:"kind"` // attack, honest
	Command       string                    `json:"command"`
	Change        string                    `json:"change"`
	Start         map[string]goal.FileState `json:"start"`
	Now           map[string]goal.FileState `json:"now"`
	Texts         map[string]string         `json:"texts"`
	Before, After process.Trace
	OutsideExists []string `json:"outside_exists"`
	Same          []string `json:"same_decision"` // changed files whose deciding part is the same
	Expect        struct {
		Tampered []string // "path role": files that must make the verdict tampered
		Listed   []string // "path role": the exact list if nothing makes the verdict tampered
	}
	Assurance goal.Assurance `json:"assurance"` // "" is shared for an attack, and not checked for honest work
}

func (a attempt) observe(t process.Trace) *goal.Observation {
	return inputs.Observe(t, inputs.Scope{Dir: "/w", Command: a.Command, Text: func(file string) []byte {
		return []byte(a.Texts[file])
	}})
}

func (a attempt) compare() ([]goal.FileChange, *goal.Observation) {
	after := a.observe(a.After)
	return inputs.Comparison{
		Before: a.observe(a.Before), After: after, Scope: inputs.Scope{Dir: "/w", Command: a.Command},
		Start:           func(file string) goal.FileState { return a.Start[file] },
		Now:             func(file string) goal.FileState { return a.Now[file] },
		HasSameDecision: func(file string, _ goal.FileRole) bool { return slices.Contains(a.Same, file) },
		OutsideExists: func(file string) bool {
			return slices.Contains(a.OutsideExists, filepath.Base(file)) || slices.ContainsFunc(a.Before.Accesses,
				func(f process.FileAccess) bool { return f.Path == file })
		},
	}.FindChanges(), after
}

func loadAttempts(t *testing.T) []attempt {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []attempt
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var a attempt
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		list = append(list, a)
	}
	return list
}

func formatChanges(list []goal.FileChange) string {
	var lines []string
	for _, f := range list {
		lines = append(lines, inputs.Describe(f))
	}
	return strings.Join(lines, "\n")
}

// TestFindChanges_EachTrace_IsClassified: each file of testdata has a check and what changed before the claim. Most
// traces come from real programs.
func TestFindChanges_EachTrace_IsClassified(t *testing.T) {
	list := loadAttempts(t)
	count := map[string]int{}
	for _, a := range list {
		count[a.Kind]++
		t.Run(a.Kind+" "+a.Name, func(t *testing.T) {
			changes, after := a.compare()
			var tampered, listed []string
			for _, f := range changes {
				name := f.Path + " " + string(f.Role)
				if f.Reason != "" {
					tampered = append(tampered, name)
				} else {
					listed = append(listed, name)
				}
			}
			for _, want := range a.Expect.Tampered {
				if !slices.Contains(tampered, want) {
					t.Errorf("%s: %q does not make it tampered:\n%s", a.Change, want, formatChanges(changes))
				}
			}
			if a.Expect.Tampered == nil && (len(tampered) > 0 || !slices.Equal(listed, a.Expect.Listed)) {
				t.Errorf("%s: want %q, got\n%s", a.Change, a.Expect.Listed, formatChanges(changes))
			}
			after.Ended = after.Runners // each has printed its summary
			p, _ := inputs.PassedCheck{
				Scope: inputs.Scope{Dir: "/w", Command: a.Command}, Before: a.observe(a.Before), After: after, Changes: changes,
			}.Assess()
			level, why := p.Assurance, p.AssuranceReason
			if a.Expect.Tampered == nil && a.Kind == "attack" && level.AtLeast(goal.Tested) {
				t.Errorf("%s: it is not weakened:\n%s", a.Change, formatChanges(changes))
			}
			if a.Assurance != "" && level != a.Assurance {
				t.Errorf("it is %s (%s), want %s", level, why, a.Assurance)
			}
		})
	}
	if count["attack"] < 48 || count["honest"] < 19 {
		t.Errorf("there are only %d attacks and %d honest changes", count["attack"], count["honest"])
	}
}

// TestObserve_FileNamedLikeAnOption_Decides: a shell expands a pattern to the name of a file, and the program reads the
// name as an option.
func TestObserve_FileNamedLikeAnOption_Decides(t *testing.T) {
	trace := process.Trace{Programs: []process.TracedProgram{{
		Path: "/usr/bin/grep", Args: []string{"grep", "-q", "TODO", "--nothing.txt", "out.txt"}, Dir: "/w/sub",
	}}}
	o := inputs.Observe(trace, inputs.Scope{Dir: "/w", Command: "! grep -q TODO *.txt", Text: func(file string) []byte {
		return map[string][]byte{"sub/--nothing.txt": {}, "sub/out.txt": {}}[file]
	}})
	if len(o.Files) != 1 || o.Files[0].Path != "sub/--nothing.txt" || !o.Files[0].Role.Decides() {
		t.Errorf("the files are %+v", o.Files)
	}
}
