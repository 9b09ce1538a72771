package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/goal"
)

// exitNotFound and exitNotExecutable are what sh answers for a command that it cannot run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// Preflight runs a gate once before the first model turn, where it will later
// decide. FailsNow is what is wanted: a gate that passes already, or that cannot
// run, decides nothing.
func (h Host) Preflight(ctx context.Context, c goal.Check) goal.Verdict {
	if v, ok := h.syntax(ctx, c); !ok {
		return v
	}
	v := h.check(ctx, c)
	switch v.Outcome {
	case goal.Pass:
		v.Outcome, v.Detail = goal.PassesNow, "it passes already ("+v.Detail+"), so it would not show that the goal was reached"
	case goal.Fail:
		v = h.judgeFailure(c, v)
	case goal.CheckErr, goal.Tampered, goal.PassesNow, goal.FailsNow, goal.CannotRun:
		v.Outcome = goal.CannotRun
	}
	v.Name = c.Name()
	return v
}

// syntax asks sh itself whether the command can be read.
func (h Host) syntax(ctx context.Context, c goal.Check) (goal.Verdict, bool) {
	out, err := h.run(ctx, c, "-n", "-c", c.Command)
	if err != nil {
		return goal.Verdict{Name: c.Name(), Outcome: goal.CannotRun, Detail: err.Error()}, false
	}
	if out.Status.Code != 0 {
		return goal.Verdict{Name: c.Name(), Outcome: goal.CannotRun, Detail: "sh cannot read the command", Tail: tail(out), ExitCode: out.Status.Code}, false
	}
	return goal.Verdict{}, true
}

// judgeFailure tells a check that fails from one that could never pass because
// its program does not exist.
func (h Host) judgeFailure(c goal.Check, v goal.Verdict) goal.Verdict {
	v.Outcome = goal.FailsNow
	v.Detail = "it runs, and fails now (" + v.Detail + ")"
	if v.ExitCode != exitNotFound && v.ExitCode != exitNotExecutable {
		return v
	}
	word := firstWord(c.Command)
	if strings.Contains(word, "/") && !filepath.IsAbs(word) {
		if _, err := os.Lstat(filepath.Join(h.Dir, c.Dir, word)); err != nil {
			v.Detail = fmt.Sprintf("%s does not exist yet, so it fails now", word)
			return v
		}
	}
	v.Outcome = goal.CannotRun
	v.Detail = fmt.Sprintf("sh cannot run %q (exit %d)", word, v.ExitCode)
	return v
}

// firstWord is the first command's name, as far as it is written out plainly.
func firstWord(command string) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(command), "")
	if err != nil {
		return command
	}
	word := ""
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && word == "" && len(call.Args) > 0 {
			word = call.Args[0].Lit()
		}
		return word == ""
	})
	return word
}
