package why_test

import (
	"slices"
	"testing"

	"goalpost/backend/core/verify/why"
	"goalpost/backend/domain/goal"
)

func TestExplain_Verdict_StatesItsFactsOnce(t *testing.T) {
	pytest := goal.Check{Type: goal.Shell, Command: "pytest tests/test_cart.py"}
	cart := goal.FileChange{Path: "cart.py", Role: goal.RoleCode, Change: "changed"}
	conftest := goal.FileChange{Path: "conftest.py", Role: goal.RoleSettings, Change: "new"}
	for name, c := range map[string]struct {
		check   goal.Check
		verdict goal.Verdict
		rests   []string
		look    []string
		note    string // of the first sentence to look at
	}{
		"tests lost": {
			check: pytest,
			verdict: goal.Verdict{
				Type: goal.Shell, Outcome: goal.Pass, Changes: []goal.FileChange{cart, conftest},
				Proof: goal.Proof{Assurance: goal.Weakened, AssuranceReason: "1 of 5 tests no longer run: test_tax"},
				Grounds: &goal.Grounds{
					Programs:  []string{"/usr/bin/pytest"},
					Same:      []goal.KeptFile{{Path: "tests/test_cart.py", Role: goal.RoleTest}},
					LostTests: []string{"test_tax"},
					Start:     "exited with 1, expected 0",
				},
			},
			rests: []string{
				"Ran pytest from your system: /usr/bin/pytest", "Tests: tests/test_cart.py as at the start",
				"Failed with the files of the start: exited with 1, expected 0", "Ran the agent's code: cart.py (changed)",
			},
			look: []string{
				"No longer run: test_tax. They ran before the goal began. A skipped or renamed test no longer checks the work.",
				"Also ran conftest.py (new), made by the agent",
			},
			note: "test_tax ran at the start and no longer run. Make them run and pass; do not skip or deselect them.",
		},
		"a yardstick changed": {
			check: goal.Check{Type: goal.Shell, Command: "cmp out.txt expected.txt"},
			verdict: goal.Verdict{
				Type: goal.Shell, Outcome: goal.Pass,
				Changes: []goal.FileChange{{Path: "expected.txt", Role: goal.RoleData, Change: "changed"}},
				Proof: goal.Proof{
					Assurance: goal.Weakened, AssuranceReason: "expected.txt, which the result is compared with, was changed",
				},
			},
			look: []string{"expected.txt, which the result is compared with, was changed"},
			note: "The check passed, but expected.txt, which the result is compared with, was changed. " +
				"Make it pass without that.",
		},
		"run again": {
			check: goal.Check{Type: goal.Shell, Command: "cmp out.txt expected.txt"},
			verdict: goal.Verdict{
				Type: goal.Shell, Outcome: goal.Pass,
				Changes: []goal.FileChange{{Path: "expected.txt", Role: goal.RoleData, Change: "changed"}},
				Proof: goal.Proof{
					Assurance: goal.Weakened, AssuranceReason: "expected.txt, which the result is compared with, was changed; " +
						"it does not pass with expected.txt as at the start",
				},
				Reruns: []goal.Rerun{
					{AsAtStart: []string{"env.sh"}, Passed: true},
					{AsAtStart: []string{"expected.txt"}, Detail: "exited with 1, expected 0"},
				},
			},
			rests: []string{"Passed again with env.sh as at the start. So these changes did not make it pass."},
			look: []string{
				"expected.txt, which the result is compared with, was changed",
				"Fails with expected.txt as at the start: exited with 1, expected 0. So it passes only with these changes.",
			},
			note: "The check passed, but expected.txt, which the result is compared with, was changed; it does not pass with " +
				"expected.txt as at the start. Make it pass without that.",
		},
		"passed at the start": {
			check: goal.Check{Type: goal.Shell, Command: "true"},
			verdict: goal.Verdict{
				Type: goal.Shell, Outcome: goal.Pass, Proof: goal.Proof{Assurance: goal.Strong},
				Grounds: &goal.Grounds{Start: "exit 0", PassedAtStart: true},
			},
			look: []string{
				"Passed already with the files of the start: exit 0. So it does not show that anything was done.",
			},
		},
		"a model": {
			check: goal.Check{Type: goal.ModelQuestion, Question: "good?"},
			verdict: goal.Verdict{
				Type: goal.ModelQuestion, Outcome: goal.Pass, Proof: goal.Proof{Assurance: goal.Judged},
			},
			rests: []string{"The model m answered the question with yes"},
			look:  []string{"No program decided. Models err, and judge only what they are shown."},
		},
	} {
		got := why.Explain(c.check, c.verdict, "m")
		if rests := texts(got.Rests); !slices.Equal(rests, c.rests) {
			t.Errorf("%s rests on %q", name, rests)
		}
		if look := texts(got.Look); !slices.Equal(look, c.look) {
			t.Errorf("%s: look at %q", name, look)
		}
		if note := why.ReopenNote(c.verdict.Proof, []goal.Verdict{c.verdict}); note != c.note {
			t.Errorf("%s: the note is %q", name, note)
		}
	}
}

// TestExplain_ReasonThatNamesFiles_LinksWholeNames: a name inside another one is not a link.
func TestExplain_ReasonThatNamesFiles_LinksWholeNames(t *testing.T) {
	reason := `my-a.py and "a.py" and a.py.old ran`
	got := why.Explain(goal.Check{}, goal.Verdict{
		Outcome: goal.Pass, Proof: goal.Proof{Assurance: goal.Weakened, AssuranceReason: reason},
		Changes: []goal.FileChange{{Path: "a.py", Change: "new"}, {Path: "a.py.old", Change: "new"}},
	}, "")
	var links []string
	for _, p := range got.Look[0].Parts {
		if p.Kind == why.File {
			links = append(links, p.Text)
		}
	}
	if want := []string{"a.py", "a.py.old"}; !slices.Equal(links, want) {
		t.Errorf("linked %q in %q, want %q", links, got.Look[0], want)
	}
}

func TestExplain_Failure_HasNoReasons(t *testing.T) {
	if got := why.Explain(goal.Check{}, goal.Verdict{Outcome: goal.Fail}, ""); got != nil {
		t.Errorf("%v", got)
	}
}

func texts(list []why.Sentence) []string {
	var all []string
	for _, s := range list {
		all = append(all, s.String())
	}
	return all
}
