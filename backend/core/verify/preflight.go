package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
)

// Preflight runs a deterministic check once before the first model turn, in the place where it will later decide.
// FailsAsExpected is the wanted outcome: a check that already passes, or cannot run, decides nothing. For other
// checks it only verifies that somebody can be asked.
func (cr CheckRunner) Preflight(ctx context.Context, k goal.Check) goal.Verdict {
	c := check.Item{Check: k, N: -1}
	if !k.Type.IsDeterministic() {
		return named(k, cr.judgeAvailability(c))
	}
	if v, ok := cr.checkSyntax(ctx, c); !ok {
		return named(k, v)
	}
	return cr.RepeatPreflight(ctx, k)
}

// RepeatPreflight runs a deterministic check that Preflight could read once more.
func (cr CheckRunner) RepeatPreflight(ctx context.Context, k goal.Check) goal.Verdict {
	return named(k, cr.tryCheck(ctx, check.Item{Check: k, N: -1}))
}

func named(k goal.Check, v goal.Verdict) goal.Verdict {
	v.Name, v.Type = k.Name(), k.Type
	return v
}

// tryCheck runs a deterministic check, and says what its result means before a goal has begun.
func (cr CheckRunner) tryCheck(ctx context.Context, c check.Item) goal.Verdict {
	if c.Type == goal.JSONPredicate && (c.From == "" || c.From == goal.FromClaim) {
		return goal.Verdict{Outcome: goal.FailsAsExpected, Detail: "nothing has been claimed yet, so it fails now"}
	}
	v := cr.runDeterministic(ctx, c, goal.Claim{}).Verdict
	recordStates(cr.Environment.Dir, v.Observation)
	if v.Observation != nil {
		v.Observation.Result, v.Observation.HasPassed = v.Detail, v.Outcome == goal.Pass
		if v.Outcome == goal.Fail && v.Tests > 0 {
			v.Observation.Result += fmt.Sprintf(", %s ran", goal.FormatCount(v.Tests, "test"))
		}
	}
	switch v.Outcome {
	case goal.Pass:
		v.Outcome, v.Detail = goal.AlreadyPasses, "it already passes ("+v.Detail+
			"), so it would not show that the goal was reached"
	case goal.Fail:
		if !c.RunsCommand() {
			v.Outcome, v.Detail = goal.FailsAsExpected, "it can run, and fails now ("+v.Detail+")"
			break
		}
		v = cr.classifyFailure(ctx, c, v)
	case goal.CheckErr, goal.Tampered, goal.AlreadyPasses, goal.FailsAsExpected, goal.CheckUnrunnable, goal.NotRepeatable:
		v.Outcome = goal.CheckUnrunnable
	}
	return v
}

// judgeAvailability reports whether somebody can be asked about a check.
func (cr CheckRunner) judgeAvailability(c check.Item) goal.Verdict {
	switch {
	case c.Type == goal.Manual:
		return goal.Verdict{Outcome: goal.FailsAsExpected, Detail: "nobody has accepted it yet"}
	case cr.Judge == nil:
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: judge.ErrMissing.Error()}
	case c.Type == goal.Visual && cr.Environment.Pages == nil:
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: "no page can be opened here"}
	}
	return goal.Verdict{
		Outcome: goal.FailsAsExpected,
		Detail:  "a model decides it when the goal is claimed, not before",
	}
}

// checkSyntax asks the programs that will run a check whether they can read it.
func (cr CheckRunner) checkSyntax(ctx context.Context, c check.Item) (goal.Verdict, bool) {
	cannot := func(detail string) (goal.Verdict, bool) {
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: detail}, false
	}
	if c.RunsCommand() {
		at := c
		var folder *check.MissingFolderError
		if _, err := cr.Environment.FolderOf(c); errors.As(err, &folder) {
			at.Dir = "" // the command can be read anywhere
		}
		if v, ok := cr.checkShellSyntax(ctx, at); !ok {
			return v, false
		}
	}
	if c.Matches != "" {
		if _, err := regexp.Compile(c.Matches); err != nil {
			return cannot("the pattern is invalid: " + err.Error())
		}
	}
	for _, expr := range []string{c.Expr, c.Predicate} {
		if expr == "" {
			continue
		}
		if cr.Environment.Predicates == nil {
			return cannot("predicates cannot be evaluated here")
		}
		if err := cr.Environment.Predicates.Validate(ctx, expr); err != nil {
			return cannot("the expression cannot be read: " + err.Error())
		}
	}
	return goal.Verdict{}, true
}

// checkShellSyntax asks sh whether it can read the command.
func (cr CheckRunner) checkShellSyntax(ctx context.Context, c check.Item) (goal.Verdict, bool) {
	out, err := cr.environment().RunCommand(ctx, c, "-n", "-c", c.Command)
	if err != nil {
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: err.Error()}, false
	}
	if out.Status.Code != 0 {
		return goal.Verdict{
			Outcome:  goal.CheckUnrunnable,
			Detail:   "sh cannot read the command",
			Tail:     check.OutputTail(out),
			ExitCode: out.Status.Code,
		}, false
	}
	return goal.Verdict{}, true
}

// classifyFailure distinguishes a check that fails now from one that can never pass because one of its programs
// does not exist.
func (cr CheckRunner) classifyFailure(ctx context.Context, c check.Item, v goal.Verdict) goal.Verdict {
	v.Outcome = goal.FailsAsExpected
	v.Detail = "it runs, and fails now (" + v.Detail + ")"
	var folder *check.MissingFolderError
	if _, err := cr.Environment.FolderOf(c); errors.As(err, &folder) {
		v.Detail = folder.Error() + " yet, so it fails now"
		return v
	}
	if o := v.Observation; o != nil && o.NotStarted != nil {
		n := o.NotStarted
		v.Outcome, v.Missing = goal.CheckUnrunnable, n.Name
		v.Detail = fmt.Sprintf("%q does not find the %s %s (exit %d)", n.By, n.Kind, n.Name, v.ExitCode)
		if n.Kind == "program" {
			v.Detail = "command not found: " + n.Name
		}
		return v
	}
	isObserved := v.Observed == goal.WasObserved
	what := inputs.MissingByMessage(cr.shellText(c, v.Observation), string(v.Output), v.ExitCode, isObserved)
	word := strings.TrimPrefix(what, cr.Environment.Dir+"/")
	_, remote := c.Server()
	switch {
	case what == "":
		return v
	case !remote && v.ExitCode == inputs.ExitNotFound && strings.Contains(word, "/") && !path.IsAbs(word):
		v.Detail = word + " does not exist yet, so it fails now"
		return v
	case v.ExitCode == inputs.ExitNotFound:
		v.Detail = "command not found: " + word
	case v.ExitCode == inputs.ExitNotExecutable:
		v.Detail = fmt.Sprintf("sh cannot run %q (exit %d)", word, v.ExitCode)
	default:
		v.Detail = fmt.Sprintf("%s is missing (exit %d)", word, v.ExitCode)
	}
	v.Outcome, v.Missing = goal.CheckUnrunnable, word
	return v
}

// shellText returns the command of a check and the scripts that it ran.
func (cr CheckRunner) shellText(c check.Item, o *goal.Observation) string {
	all := c.Command
	root, err := os.OpenRoot(cr.Environment.Dir)
	if err != nil || o == nil {
		return all
	}
	defer func() { _ = root.Close() }()
	for _, u := range o.Files {
		if u.Role == goal.RoleScript {
			script, _, _ := fileio.Read(root, u.Path, maxGuessedBytes) // nil where it cannot be read
			all += "\n" + string(script)
		}
	}
	return all
}
