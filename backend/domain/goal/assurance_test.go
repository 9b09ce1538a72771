package goal_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

func TestAssuranceOf_WeakestCheck_Decides(t *testing.T) {
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
			[]goal.Assurance{goal.Shared, goal.Strong},
			goal.Shared,
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
			v := goal.Verdict{Check: i, Outcome: goal.Pass, Assurance: level}
			if level == "" {
				v.Outcome = goal.Fail
			}
			verdicts = append(verdicts, v)
		}
		if got := criterion.AssuranceOf(verdicts); got != c.want {
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

func TestAssuranceDescribe_EachLevel_IsPlainWords(t *testing.T) {
	for _, c := range []struct {
		level       goal.Assurance
		judge, want string
	}{
		{goal.Strong, "m1", "Verified"},
		{goal.Shared, "m1", "Verified (the agent could have influenced the check)"},
		{goal.Judged, "m1", "Judged by m1"},
		{goal.Judged, "", "Judged by a model"},
		{goal.Claimed, "m1", "Claimed, not verified"},
		{"", "m1", ""},
		{"newer", "m1", ""},
	} {
		if got := c.level.Describe(c.judge); got != c.want {
			t.Errorf("%q: %q, want %q", c.level, got, c.want)
		}
	}
	g := goal.Goal{Request: goal.Request{Provider: "p", Model: "m"}}
	if got := g.JudgeName(); got != "m" {
		t.Errorf("the goal's model judges: %q", got)
	}
	g.Options.Judge = "j"
	if got := g.JudgeName(); got != "j" {
		t.Errorf("another provider judges: %q", got)
	}
}
