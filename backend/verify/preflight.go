package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/goal"
)

// exitNotFound and exitNotExecutable are what sh answers for a command that it cannot run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// Preflight runs a gate once before the first model turn, where it will later
// decide. FailsNow is what is wanted: a gate that passes already, or that cannot
// run, decides nothing. Judgements are not asked, only that somebody can be.
func (h Host) Preflight(ctx context.Context, k goal.Check) goal.Verdict {
	c := check{k, -1}
	v := h.foresee(ctx, c)
	v.Name, v.Type = k.Name(), k.Type
	return v
}

func (h Host) foresee(ctx context.Context, c check) goal.Verdict {
	if !c.Type.IsGate() {
		return h.answerable(c)
	}
	if v, ok := h.readable(ctx, c); !ok {
		return v
	}
	if c.Type == goal.JSONPredicate && (c.From == "" || c.From == goal.FromClaim) {
		return goal.Verdict{Outcome: goal.FailsAsExpected, Detail: "nothing was claimed yet, so it fails now"}
	}
	v := h.gate(ctx, c, goal.Claim{}).Verdict
	switch v.Outcome {
	case goal.Pass:
		v.Outcome, v.Detail = goal.AlreadyPasses, "it passes already ("+v.Detail+"), so it would not show that the goal was reached"
	case goal.Fail:
		if !c.runs() {
			v.Outcome, v.Detail = goal.FailsAsExpected, "it can be decided, and fails now ("+v.Detail+")"
			break
		}
		v = h.judgeFailure(ctx, c, v)
	case goal.CheckErr, goal.Tampered, goal.AlreadyPasses, goal.FailsAsExpected, goal.CheckUnrunnable, goal.NotRepeatable:
		v.Outcome = goal.CheckUnrunnable
	}
	return v
}

// answerable says whether somebody could be asked.
func (h Host) answerable(c check) goal.Verdict {
	switch {
	case c.Type == goal.Manual:
		return goal.Verdict{Outcome: goal.FailsAsExpected, Detail: "nobody has said so yet"}
	case h.Judge == nil:
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: errNoJudge.Error()}
	case c.Type == goal.Visual && h.Pages == nil:
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: "no page can be opened here"}
	}
	return goal.Verdict{Outcome: goal.FailsAsExpected, Detail: "a model decides it when the goal is claimed; it is not asked before"}
}

// readable asks those who will run a check whether they can read it.
func (h Host) readable(ctx context.Context, c check) (goal.Verdict, bool) {
	cannot := func(detail string) (goal.Verdict, bool) {
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: detail}, false
	}
	if c.runs() {
		at := c
		var folder *noFolder
		if _, err := h.dir(c); errors.As(err, &folder) {
			at.Dir = "" // the command can be read anywhere
		}
		if v, ok := h.syntax(ctx, at); !ok {
			return v, false
		}
		missing, err := h.missing(ctx, at, true)
		switch {
		case err != nil:
			return cannot(err.Error())
		case len(missing) > 0:
			v, ok := cannot(fmt.Sprintf("sh cannot run %q: there is no such program", missing[0]))
			v.Missing = missing[0]
			return v, ok
		}
	}
	if c.Matches != "" {
		if _, err := regexp.Compile(c.Matches); err != nil {
			return cannot("the pattern cannot be read: " + err.Error())
		}
	}
	for _, expr := range []string{c.Expr, c.Predicate} {
		if expr == "" {
			continue
		}
		if h.Engine == nil {
			return cannot("no predicate can be evaluated here")
		}
		if err := h.Engine.Read(ctx, expr); err != nil {
			return cannot("the expression cannot be read: " + err.Error())
		}
	}
	return goal.Verdict{}, true
}

// syntax asks sh itself whether the command can be read.
func (h Host) syntax(ctx context.Context, c check) (goal.Verdict, bool) {
	out, err := h.run(ctx, c, "-n", "-c", c.Command)
	if err != nil {
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: err.Error()}, false
	}
	if out.Status.Code != 0 {
		return goal.Verdict{Outcome: goal.CheckUnrunnable, Detail: "sh cannot read the command", Tail: tail(out), ExitCode: out.Status.Code}, false
	}
	return goal.Verdict{}, true
}

// judgeFailure tells a check that fails from one that could never pass because
// one of its programs does not exist.
func (h Host) judgeFailure(ctx context.Context, c check, v goal.Verdict) goal.Verdict {
	v.Outcome = goal.FailsAsExpected
	v.Detail = "it runs, and fails now (" + v.Detail + ")"
	var folder *noFolder
	if _, err := h.dir(c); errors.As(err, &folder) {
		v.Detail = folder.Error() + " yet, so it fails now"
		return v
	}
	if v.ExitCode != exitNotFound && v.ExitCode != exitNotExecutable {
		return v
	}
	cannot := func(word string) goal.Verdict {
		word = strings.TrimPrefix(word, rooted)
		v.Outcome, v.Detail, v.Missing = goal.CheckUnrunnable, fmt.Sprintf("sh cannot run %q (exit %d)", word, v.ExitCode), word
		return v
	}
	if v.ExitCode == exitNotFound {
		if missing, err := h.missing(ctx, c, false); err == nil && len(missing) > 0 {
			return cannot(missing[0])
		}
	}
	if _, remote := c.Server(); remote {
		return v // what lies there cannot be seen from here
	}
	for _, k := range readLine(c.Command, place{dir: c.Dir, root: h.Dir}).calls {
		switch word := k.bare().word(); {
		case !strings.Contains(word, "/"):
		case v.ExitCode == exitNotExecutable && h.lies(k, word):
			return cannot(word)
		case !h.lies(k, word):
			if _, ok := k.inside(word); !ok {
				return cannot(word)
			}
			v.Detail = strings.TrimPrefix(word, rooted) + " does not exist yet, so it fails now"
			return v
		}
	}
	return v
}

// missing asks sh which of the plain names that a command starts mean nothing to
// it; with first only about the first one.
func (h Host) missing(ctx context.Context, c check, first bool) ([]string, error) {
	read := readLine(c.Command, place{dir: c.Dir, root: h.Dir})
	var names []string
	for _, k := range read.calls {
		word := k.word()
		if word != "" && !strings.Contains(word, "/") && !slices.Contains(read.functions, word) {
			names = append(names, word)
		}
		if first {
			break
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	const ask = `for name do command -v -- "$name" >/dev/null || printf '%s\n' "$name"; done`
	out, err := h.run(ctx, c, append([]string{"-c", ask, "sh"}, names...)...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out.Stdout)), nil
}

// lies says whether a word of a call is a file of the goal's folder, or of the
// machine where it is absolute.
func (h Host) lies(k call, word string) bool {
	p, ok := k.inside(word)
	if !ok {
		if !path.IsAbs(word) { // nobody can tell
			return true
		}
		_, err := os.Stat(word)
		return err == nil
	}
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	_, err = root.Lstat(p)
	return !errors.Is(err, fs.ErrNotExist)
}
