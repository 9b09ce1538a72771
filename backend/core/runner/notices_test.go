package runner

import (
	"context"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// littered is a session with many leftovers.
type littered struct{}

func (littered) ThingsLeft(context.Context) []string {
	return []string{"git would obey this", "the copy was changed", "files are in /tmp"}
}

func (still) Changed(context.Context) (string, error) { return "1 file changed: a", nil }

// rested is the history of a goal that has waited.
type rested struct{ History }

func (rested) Interruptions(context.Context, goal.ID) (goal.Interruptions, error) {
	return goal.Interruptions{
		Waits: []goal.PastWait{{Exit: goal.WaitingForProvider, Took: time.Hour}},
		Slept: 1, Retries: []goal.Retries{{Why: "overloaded", Times: 2}}, Servers: []string{"The server ended."},
	}, nil
}

// TestReport_AtMostEightBullets checks the limit for a session with many leftovers, which are all in one bullet.
func TestReport_AtMostEightBullets(t *testing.T) {
	r := newTestRun(goal.Goal{Spent: goal.Spend{Claims: 1}}, &watchClock{})
	r.reporter.folder, r.reporter.autorun, r.reporter.history = still{}, littered{}, rested{}
	r.plan.todos = []goal.Todo{{Text: "more"}}
	r.verification.claims.last = []goal.Verdict{{Name: "make test", Outcome: goal.Fail, Detail: "exit 1"}}
	for _, stop := range []*Stop{{Exit: goal.Stuck, Reason: "nothing moved"}, {Exit: goal.Done}} {
		r.verification.claims.accepted = &pendingClaim{rationale: "it works"}
		bullets := r.reporter.report(t.Context(), stop)
		if len(bullets) != 8 || bullets[5] != "Waited 1 h, at no cost: once for the model (1 h). The computer slept once." ||
			bullets[6] != "2 requests to a model failed and were repeated (2 overloaded). The server ended." ||
			!strings.HasPrefix(bullets[7], "Next: ") {
			t.Errorf("%s: %d bullets: %q", stop.Exit, len(bullets), bullets)
		}
		if want := "1 file changed: a. git would obey this. the copy was changed. files are in /tmp"; bullets[3] != want {
			t.Errorf("%s: %q, want %q", stop.Exit, bullets[3], want)
		}
	}
}

// TestReport_CountsTheCriterionsChecks covers undecided checks, which count, and a review, which does not.
func TestReport_CountsTheCriterionsChecks(t *testing.T) {
	shell := goal.Check{Type: goal.Shell, Command: "make test"}
	question := goal.Check{Type: goal.ModelQuestion, Question: "Is it right?"}
	pass := goal.Verdict{Name: "make test", Outcome: goal.Pass}
	fail := goal.Verdict{Name: "make test", Outcome: goal.Fail, Detail: "exit 1"}
	yes := goal.Verdict{Check: 1, Name: "Is it right?", Outcome: goal.Pass}
	rejected := reviewRejection(2, goal.Review{Reason: "no"})
	for _, c := range []struct {
		any      bool
		verdicts []goal.Verdict
		want     string
	}{
		{false, nil, ""},
		{false, []goal.Verdict{pass, yes}, "2 of 2 checks passed."},
		{false, []goal.Verdict{fail}, "0 of 2 checks passed; open: make test (exit 1); not decided: Is it right?"},
		{false, []goal.Verdict{pass}, "1 of 2 checks passed; not decided: Is it right?"},
		{false, []goal.Verdict{pass, yes, rejected}, "2 of 2 checks passed; open: review (the reviewer rejected it: no)."},
		{true, []goal.Verdict{pass}, "1 of 2 checks passed, and one is enough; not decided: Is it right?"},
		{true, []goal.Verdict{fail, yes}, "1 of 2 checks passed, and one is enough; not passed: make test (exit 1)."},
		{true, []goal.Verdict{fail}, "0 of 2 checks passed; open: make test (exit 1); not decided: Is it right?"},
	} {
		if got := verdictBullet(goal.Criterion{Checks: []goal.Check{shell, question}, Any: c.any},
			c.verdicts); got != c.want {
			t.Errorf("any %v, %d verdicts: %q, want %q", c.any, len(c.verdicts), got, c.want)
		}
	}
}

// TestReport_FileBesideAQuestion_IsJudged checks that a file check beside a question does not make the result decided
// by a program, and that each check's level is named.
func TestReport_FileBesideAQuestion_IsJudged(t *testing.T) {
	file := goal.Check{Type: goal.File, Path: "out.txt"}
	question := goal.Check{Type: goal.ModelQuestion, Question: "Is it right?"}
	command := goal.Check{Type: goal.Shell, Command: "make test"}
	pass := func(i int, k goal.Check, level goal.Assurance) goal.Verdict {
		return goal.Verdict{Check: i, Type: k.Type, Name: k.Name(), Outcome: goal.Pass, Proof: goal.Proof{Assurance: level}}
	}
	for _, c := range []struct {
		name     string
		first    goal.Check
		judged   bool
		decided  string
		verdicts string
	}{
		{
			"a file", file, true,
			"Done: a model judged claim 1; programs checked only what needs no judgement.",
			"2 of 2 checks passed: out.txt (strong), Is it right? (judged).",
		},
		{
			"a command", command, false,
			"Done. All checks passed.",
			"2 of 2 checks passed: make test (strong), Is it right? (judged).",
		},
	} {
		r := newTestRun(
			goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{c.first, question}}}},
			&watchClock{},
		)
		claims := r.verification.claims
		claims.total, claims.accepted = 1, &pendingClaim{rationale: "it works", result: "42"}
		claims.last = []goal.Verdict{pass(0, c.first, goal.Strong), pass(1, question, goal.Judged)}
		bullets := r.reporter.report(t.Context(), &Stop{Exit: goal.Done})
		if claims.isJudgedByModel() != c.judged || !strings.HasPrefix(bullets[0], c.decided+" Judged by a model") {
			t.Errorf("%s: judged %t, %q", c.name, claims.isJudgedByModel(), bullets[0])
		}
		if bullets[1] != c.verdicts || claims.result() != "42" {
			t.Errorf("%s: %q, result %q", c.name, bullets[1], claims.result())
		}
	}
}

// TestKeptEvidence_LongStream_NamesBeginningAndEnd: only the beginning and the end of a long stream are stored.
func TestKeptEvidence_LongStream_NamesBeginningAndEnd(t *testing.T) {
	for bytes, want := range map[int64]string{
		5_000:              "gives all 5000 bytes.",
		process.MaxCapture: "gives all 1048576 bytes.",
		3_000_000:          "gives what was kept of 3000000 bytes: of a stream of more than 1 MiB",
	} {
		got := failureDetail(2, []goal.Verdict{{
			Name:    "make",
			Outcome: goal.Fail,
			Detail:  "exit 2",
			Tail:    "no",
			Bytes:   bytes,
		}})
		if !strings.Contains(got, want) {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}
