package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"goalpost/backend/goal"
)

// jsonMax is the longest JSON that a predicate is tried on, in bytes.
const jsonMax = 4 << 20

// PredicateError is what is wrong with an expression, or with what it was tried on.
type PredicateError struct {
	// Kind says whose fault it is: "syntax" the expression cannot be read; "type"
	// response is not built as the expression expects (a TypeError); "throws" it
	// ended in another error; "value" it is neither true nor false; "bounds" it
	// took too long or too much memory.
	Kind string
	Text string
}

func (e *PredicateError) Error() string { return e.Text }

// predicate tries the expression on JSON from the source that the check names.
func (h Host) predicate(ctx context.Context, c check, claim goal.Claim) ruling {
	switch c.From {
	case goal.FromFile:
		return h.fileJSON(ctx, c)
	case goal.FromCommand:
		return h.commandJSON(ctx, c)
	case goal.FromURL:
		a, err := h.fetch(ctx, c)
		if err != nil {
			return unanswered(ctx, err)
		}
		return h.over(ctx, c, a.json(), a.verdict())
	case "", goal.FromClaim:
	}
	text := claim.Result
	if text == "" {
		text = claim.Rationale
	}
	if !json.Valid([]byte(text)) {
		return rule(goal.Fail, "the result given to claim_complete is not JSON: "+brief(text, 200))
	}
	if len(text) > jsonMax {
		return rule(goal.Fail, fmt.Sprintf("the result given to claim_complete has %d bytes, more than %d", len(text), jsonMax))
	}
	return h.over(ctx, c, []byte(text), keep(goal.Verdict{}, cut([]byte(text), evidenceMax), int64(len(text))))
}

func (h Host) fileJSON(ctx context.Context, c check) ruling {
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return undecided(fmt.Errorf("the goal's folder: %w", plain(err)))
	}
	defer func() { _ = root.Close() }()
	b, _, err := read(root, c.Path, jsonMax)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rule(goal.Fail, c.Path+" does not exist")
	case err != nil:
		return rule(goal.Fail, err.Error())
	case !json.Valid(b):
		return rule(goal.Fail, c.Path+" is not JSON: "+brief(string(b), 200))
	}
	return h.over(ctx, c, b, keep(goal.Verdict{}, cut(b, evidenceMax), int64(len(b))))
}

func (h Host) commandJSON(ctx context.Context, c check) ruling {
	out, err := h.run(ctx, c, "-c", c.Command)
	if err != nil {
		return notRun(err)
	}
	v := ran(out)
	switch {
	case out.TimedOut:
		r := undecided(fmt.Errorf("it did not end within %s and was killed", goal.FormatDuration(c.Timeout())))
		r.Tail = v.Tail
		return r
	case !json.Valid(out.Stdout): // also when it was cut in the middle
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("the command does not print JSON (%s)", out.Status)
		return ruling{Verdict: v}
	}
	return h.over(ctx, c, out.Stdout, v)
}

// over tries the check's expression on response and puts what came of it into v.
func (h Host) over(ctx context.Context, c check, response []byte, v goal.Verdict) ruling {
	from := time.Now()
	r := h.evaluate(ctx, c.Expr, response)
	v.Took += time.Since(from)
	v.TookMS = v.Took.Milliseconds()
	v.Outcome, v.Detail = r.Outcome, r.Detail
	if v.Outcome != goal.Pass && v.Tail == "" {
		v.Tail = "response is " + brief(string(response), 1000)
	}
	return ruling{Verdict: v, again: r.again}
}

// evaluate says what an expression comes to. One that stumbles over what
// response lacks has failed; what is wrong with itself is an error.
func (h Host) evaluate(ctx context.Context, expr string, response []byte) ruling {
	if h.Engine == nil {
		return undecidable("no predicate can be evaluated here")
	}
	ok, err := h.Engine.Evaluate(ctx, expr, response)
	var wrong *PredicateError
	switch {
	case errors.As(err, &wrong) && wrong.Kind == "type":
		return rule(goal.Fail, "the expression is not true: "+wrong.Text)
	case errors.As(err, &wrong):
		return undecidable(wrong.Text)
	case err != nil:
		return undecided(err)
	case !ok:
		return rule(goal.Fail, fmt.Sprintf("`%s` is false", expr))
	}
	return rule(goal.Pass, fmt.Sprintf("`%s` is true", expr))
}
