package goal_test

import (
	"errors"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

func TestProofOf_WeakestCheck_Decides(t *testing.T) {
	shell := goal.Check{Type: goal.Shell, Command: "make test"}
	file := goal.Check{Type: goal.File, Path: "out.txt"}
	question := goal.Check{Type: goal.ModelQuestion, Question: "Is it good?"}
	word := goal.Check{Type: goal.JSONPredicate, Expr: "response.ok"}
	accepted := goal.Check{Type: goal.Manual, Wait: true}
	agentWord := goal.Check{Type: goal.Manual}
	for _, c := range []struct {
		name   string
		checks []goal.Check
		any    bool
		levels []goal.Assurance // "" for a check that did not pass
		want   goal.Assurance
	}{
		{
			"a file alone",
			[]goal.Check{file},
			false,
			[]goal.Assurance{goal.Strong},
			goal.Strong,
		},
		{
			"a file beside a question",
			[]goal.Check{file, question},
			false,
			[]goal.Assurance{goal.Strong, goal.Judged},
			goal.Judged,
		},
		{
			"the agent's word beside a file",
			[]goal.Check{file, word},
			false,
			[]goal.Assurance{goal.Strong, goal.Claimed},
			goal.Claimed,
		},
		{
			"tests in the judge's process",
			[]goal.Check{shell, file},
			false,
			[]goal.Assurance{goal.Tested, goal.Strong},
			goal.Tested,
		},
		{
			"the user accepts what is verified",
			[]goal.Check{shell, accepted},
			false,
			[]goal.Assurance{goal.Strong, goal.Claimed},
			goal.Strong,
		},
		{
			"only the user accepts",
			[]goal.Check{accepted},
			false,
			[]goal.Assurance{goal.Claimed},
			goal.Claimed,
		},
		{
			"the agent's word for it",
			[]goal.Check{shell, agentWord},
			false,
			[]goal.Assurance{goal.Strong, goal.Claimed},
			goal.Claimed,
		},
		{
			"one is enough",
			[]goal.Check{shell, question},
			true,
			[]goal.Assurance{goal.Strong, goal.Judged},
			goal.Strong,
		},
		{
			"one is enough, the weaker",
			[]goal.Check{shell, question},
			true,
			[]goal.Assurance{"", goal.Judged},
			goal.Judged,
		},
	} {
		criterion := goal.Criterion{Checks: c.checks, Any: c.any}
		var verdicts []goal.Verdict
		for i, level := range c.levels {
			v := goal.Verdict{Check: i, Outcome: goal.Pass, Proof: goal.Proof{Assurance: level}}
			if level == "" {
				v.Outcome = goal.Fail
			}
			verdicts = append(verdicts, v)
		}
		if got := criterion.ProofOf(verdicts).Assurance; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestValidate_RequiredAssuranceThatNoCheckGives_IsRefused(t *testing.T) {
	question := goal.Check{Type: goal.ModelQuestion, Question: "Is it good?"}
	shell := goal.Check{Type: goal.Shell, Command: "make test"}
	for _, c := range []struct {
		criterion goal.Criterion
		fault     string
	}{
		{goal.Criterion{Checks: []goal.Check{shell}, Require: goal.Strong}, ""},
		{goal.Criterion{Checks: []goal.Check{shell, question}, Require: goal.Judged}, ""},
		{goal.Criterion{Checks: []goal.Check{shell, question}, Require: goal.Strong}, "at most judged"},
		{goal.Criterion{Checks: []goal.Check{shell, question}, Any: true, Require: goal.Strong}, ""},
		{goal.Criterion{Checks: []goal.Check{shell}, Require: "certain"}, `unknown assurance "certain"`},
	} {
		err := c.criterion.Validate()
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%+v: %v, want %q", c.criterion, err, c.fault)
		}
	}
	var unknown *fault.Error
	if err := (goal.Criterion{Checks: []goal.Check{shell}, Require: "certain"}).Validate(); !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	for _, level := range goal.Assurances() {
		if !strings.Contains(unknown.Hint, string(level)) {
			t.Errorf("the hint %q does not name %s", unknown.Hint, level)
		}
	}
}

func TestNeedsReview_FileBesideAQuestion(t *testing.T) {
	question := goal.Check{Type: goal.ModelQuestion, Question: "Is it good?"}
	file := goal.Check{Type: goal.File, Path: "out.txt"}
	shell := goal.Check{Type: goal.Shell, Command: "make test"}
	if !(goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{file, question}}}}).NeedsReview() {
		t.Error("a file beside a question is not reviewed")
	}
	if (goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{shell, question}}}}).NeedsReview() {
		t.Error("a command beside a question is reviewed")
	}
}

func TestDescribe_EachProof_IsPlainWords(t *testing.T) {
	for _, c := range []struct {
		level       goal.Assurance
		basis       goal.Basis
		judge, want string
	}{
		{goal.Strong, "", "m1", "Verified"},
		{goal.Tested, goal.BasisTests, "m1", "Verified by tests"},
		{goal.Tested, goal.BasisAnswers, "m1", "Verified by its answers"},
		{goal.Tested, goal.BasisOutput, "m1", "Verified by its output"},
		{goal.Weakened, "", "m1", "Passed, look at this"},
		{goal.Judged, "", "m1", "Judged by m1"},
		{goal.Judged, "", "", "Judged by a model"},
		{goal.Claimed, "", "m1", "Claimed, not verified"},
		{goal.Claimed, goal.BasisUser, "m1", "Accepted by you"},
		{"", "", "m1", ""},
		{"newer", "", "m1", ""},
	} {
		if got := (goal.Proof{Assurance: c.level, Basis: c.basis}).Describe(c.judge); got != c.want {
			t.Errorf("%q: %q, want %q", c.level, got, c.want)
		}
	}
}
