package goal_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

var statuses = []goal.Status{goal.Pending, goal.Running, goal.Paused, goal.Completed, goal.Failed, goal.Aborted}

// TestTransition_EveryPair_IsAllowedOrRefused also covers unknown statuses.
func TestTransition_EveryPair_IsAllowedOrRefused(t *testing.T) {
	legal := []string{
		"pending running", "pending aborted",
		"running completed", "running failed", "running aborted", "running paused",
		"paused running", "paused aborted", "paused failed",
		"completed running", "failed running", "aborted running",
	}
	for _, from := range append(slices.Clone(statuses), "", "lost") {
		for _, to := range append(slices.Clone(statuses), "", "lost") {
			want := slices.Contains(legal, string(from)+" "+string(to))
			if got := goal.CanTransition(from, to); got != want {
				t.Errorf("%q to %q: %v", from, to, got)
			}
			err := goal.Transition(from, to)
			if (err == nil) != want {
				t.Errorf("%q to %q: %v", from, to, err)
			}
			if err != nil && (!strings.Contains(err.Error(), string(from)) || !strings.Contains(err.Error(), string(to))) {
				t.Errorf("%v does not name %q and %q", err, from, to)
			}
		}
	}
}

func TestStatus_IsActive(t *testing.T) {
	for _, s := range statuses {
		if got, want := s.IsActive(), s == goal.Pending || s == goal.Running || s == goal.Paused; got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
}

// TestStatusForExit_EveryExit_IsReachable checks that a running goal can change to the status of every exit.
func TestStatusForExit_EveryExit_IsReachable(t *testing.T) {
	for exit, want := range map[goal.Exit]goal.Status{
		goal.Done:               goal.Completed,
		goal.LimitReached:       goal.Failed,
		goal.ExitError:          goal.Failed,
		goal.Stuck:              goal.Paused,
		goal.NeedsUser:          goal.Paused,
		goal.WaitingForProvider: goal.Paused,
		goal.PausedByUser:       goal.Paused,
		goal.Interrupted:        goal.Paused,
		goal.AbortedByUser:      goal.Aborted,
		goal.GaveUp:             goal.Aborted,
	} {
		if got := goal.StatusForExit(exit); got != want {
			t.Errorf("%s leaves a goal %s, want %s", exit, got, want)
		}
		if !goal.CanTransition(goal.Running, want) {
			t.Errorf("%s: a running goal cannot become %s", exit, want)
		}
	}
	if got := goal.StatusForExit(""); got != goal.Running {
		t.Errorf("no exit is %s", got)
	}
}

func TestRequestComplete_InvalidField_IsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*goal.Request)
		field  string // the field that the refusal names, "" if the input is accepted
	}{
		{"whole", func(*goal.Request) {}, ""},
		{"no limits", func(r *goal.Request) { r.Limits = goal.Limits{} }, ""},
		{"no objective", func(r *goal.Request) { r.Objective = "" }, "objective"},
		{"a blank objective", func(r *goal.Request) { r.Objective = " \n\t " }, "objective"},
		{"no check", func(r *goal.Request) { r.Checks = nil }, "criterion"},
		{"a check without a command", func(r *goal.Request) { r.Checks[0].Command = "  " }, "criterion"},
		{"the second check is blank", func(r *goal.Request) {
			r.Checks = append(r.Checks, goal.Check{Type: goal.Shell})
		}, "criterion"},
		{"an unknown check", func(r *goal.Request) { r.Checks[0].Type = "oracle" }, "criterion"},
		{"a check without a type", func(r *goal.Request) { r.Checks[0].Type = "" }, "criterion"},
		{"a NUL in a check", func(r *goal.Request) { r.Checks[0].Command = "test\x00 -f a" }, "criterion"},
		{"an exit code that is none", func(r *goal.Request) { r.Checks[0].ExitCode = 300 }, "criterion"},
		{"less than no time", func(r *goal.Request) { r.Checks[0].TimeoutMS = -5 }, "criterion"},
		{"a status that is none", func(r *goal.Request) {
			r.Checks[0] = goal.Check{Type: goal.HTTP, URL: "http://127.0.0.1/", Status: 9}
		}, "criterion"},
		{"fewer than no bytes", func(r *goal.Request) {
			r.Checks[0] = goal.Check{Type: goal.File, Path: "x", MinSize: -4}
		}, "criterion"},
		{"no risk, which is the default", func(r *goal.Request) { r.Risk = "" }, ""},
		{"an unknown risk", func(r *goal.Request) { r.Risk = "root" }, "risk"},
		{"a negative time", func(r *goal.Request) { r.WallClockMS = -1000 }, "limits"},
		{"negative iterations", func(r *goal.Request) { r.Iterations = -2 }, "limits"},
		{"negative claims", func(r *goal.Request) { r.ClaimsPerCheck = -2 }, "limits"},
		{"negative tokens", func(r *goal.Request) { r.Tokens = -2 }, "limits"},
		{"money that is no number", func(r *goal.Request) { r.USD = math.NaN() }, "limits"},
		{"endless money", func(r *goal.Request) { r.USD = math.Inf(1) }, "limits"},
		{"negative money", func(r *goal.Request) { r.USD = -0.01 }, "limits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := goal.Request{
				Objective: "create done.txt",
				Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "test -f done.txt"}}},
				Policy:    policy.Policy{Risk: policy.WriteLocal},
				Limits:    goal.DefaultLimits(),
			}
			c.change(&r)
			err := r.Complete()
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Field != c.field || refusal.Message == "" || refusal.Hint == "" {
				t.Fatalf("%#v, want a refusal of %s with reason and hint", err, c.field)
			}
			if !strings.Contains(err.Error(), refusal.Message) || !strings.Contains(err.Error(), refusal.Hint) {
				t.Errorf("%q leaves out reason or hint", err)
			}
		})
	}
}

func TestDescribe_Criterion_ListsItsChecks(t *testing.T) {
	a := goal.Check{Type: goal.Shell, Command: " go test ./... "}
	b := goal.Check{Type: goal.Shell, Command: "test -s out", ExitCode: 1, Dir: "build"}
	for _, c := range []struct{ got, want string }{
		{
			goal.Criterion{Checks: []goal.Check{a, b}}.Describe(),
			"the command ` go test ./... ` exits with 0 and the command `test -s out` exits with 1 in build",
		},
		{
			goal.Criterion{Checks: []goal.Check{a, b}, Any: true}.Describe(),
			"the command ` go test ./... ` exits with 0 or the command `test -s out` exits with 1 in build",
		},
		{a.Name(), "go test ./..."},
		{(&fault.Error{Message: "no"}).Error(), "no"},
		{goal.ID("01jd3q8zt2n4v6x8y0abcdefgh").Short(), "abcdefgh"},
		{goal.ID("short").Short(), "short"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestTimeout_Unset_IsTheDefault(t *testing.T) {
	for ms, want := range map[int64]time.Duration{0: 2 * time.Minute, -5: 2 * time.Minute, 1500: 1500 * time.Millisecond} {
		if got := (goal.Check{TimeoutMS: ms}).Timeout(); got != want {
			t.Errorf("%d ms: %s", ms, got)
		}
	}
}

// TestHash_OtherCriterion_HasAnotherHash checks that every part of a criterion changes its hash.
func TestHash_OtherCriterion_HasAnotherHash(t *testing.T) {
	base := goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "a"}}}
	want, err := goal.Hash(base)
	if err != nil || len(want) != 64 {
		t.Fatalf("%q, %v", want, err)
	}
	if again, err := goal.Hash(goal.Criterion{Checks: slices.Clone(base.Checks)}); err != nil || again != want {
		t.Errorf("the same criterion hashes to %s and %s (%v)", want, again, err)
	}
	seen := map[string]string{want: "base"}
	for name, c := range map[string]goal.Criterion{
		"any":     {Checks: base.Checks, Any: true},
		"command": {Checks: []goal.Check{{Type: goal.Shell, Command: "b"}}},
		"code":    {Checks: []goal.Check{{Type: goal.Shell, Command: "a", ExitCode: 1}}},
		"dir":     {Checks: []goal.Check{{Type: goal.Shell, Command: "a", Dir: "d"}}},
		"timeout": {Checks: []goal.Check{{Type: goal.Shell, Command: "a", TimeoutMS: 1}}},
		"twice":   {Checks: []goal.Check{base.Checks[0], base.Checks[0]}},
	} {
		h, err := goal.Hash(c)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%s hashes like %s", name, other)
		}
		seen[h] = name
	}
	if _, err := goal.Hash(func() {}); err == nil {
		t.Error("something that is not JSON was hashed")
	}
}

type control struct {
	goal.RunControl
	claims []string
}

func (c *control) Claim(rationale, _ string) { c.claims = append(c.claims, rationale) }

// TestRunOf_TwoRuns_DoNotMix checks that each context carries its own run.
func TestRunOf_TwoRuns_DoNotMix(t *testing.T) {
	if r, ok := goal.RunOf(t.Context()); ok {
		t.Fatalf("%v outside any run", r)
	}
	one, two := &control{}, &control{}
	first := goal.WithRun(t.Context(), goal.Run{Goal: "g1", ID: "r1", Control: one})
	second := goal.WithRun(t.Context(), goal.Run{Goal: "g2", ID: "r2", Control: two})
	child, cancel := context.WithCancel(first)
	defer cancel()
	for ctx, want := range map[context.Context]goal.ID{
		first:  "g1",
		second: "g2",
		child:  "g1",
		goal.WithRun(first, goal.Run{Goal: "g3"}): "g3",
	} {
		if r, ok := goal.RunOf(ctx); !ok || r.Goal != want {
			t.Errorf("%v, want %s", r, want)
		}
	}
	r, _ := goal.RunOf(child)
	r.Control.Claim("done", "")
	if len(one.claims) != 1 || len(two.claims) != 0 {
		t.Errorf("claims went to %v and %v", one.claims, two.claims)
	}
}

func TestFormatCount_One_IsSingular(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 2: "2 bytes"} {
		if got := goal.FormatCount(n, "byte"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestFormatDuration_EachLength_IsShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                       "0 ms",
		200 * time.Millisecond:  "200 ms",
		time.Second:             "1 s",
		2150 * time.Millisecond: "2.1 s",
		48 * time.Second:        "48 s",
		time.Minute:             "1 m",
		108 * time.Second:       "1 m 48 s",
		90 * time.Minute:        "1 h 30 m",
		time.Hour:               "1 h",
		125 * time.Minute:       "2 h 05 m",
		76 * time.Hour:          "3 d 4 h",
		48 * time.Hour:          "2 d",
	} {
		if got := goal.FormatDuration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// TestHash_FrozenGoal_StaysTheSame checks that a goal keeps its hashes in later versions. For this, the JSON must omit
// new fields of checks and policies when they are empty.
func TestHash_FrozenGoal_StaysTheSame(t *testing.T) {
	for want, v := range map[string]any{
		"71a7e041154565480928d758e354aa72ad5697e6c41517bd08d59db671a33e5a": goal.Criterion{
			Checks: []goal.Check{
				{Type: goal.Shell, Command: "make test"},
				{Type: goal.HTTP, URL: "http://a/"},
				{Type: goal.File, Path: "f"},
				{Type: goal.Manual},
			},
		},
		"992f64dac70bef0a124cc91b9770f1b5e6e30ab27cb5f30cbe7246028b5b5649": policy.Policy{Risk: policy.WriteLocal, Dir: "/w"},
	} {
		if h, err := goal.Hash(v); err != nil || h != want {
			t.Errorf("%T hashes to %s, not to %s as it did (%v)", v, h, want, err)
		}
	}
}
