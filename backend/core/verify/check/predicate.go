package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// maxJSONBytes is the longest JSON that a predicate is applied to, in bytes.
const maxJSONBytes = 4 << 20

// checkPredicate applies the expression to JSON from the source that the check names.
func (e Environment) checkPredicate(ctx context.Context, c Item, claim goal.Claim) Result {
	switch c.From {
	case goal.FromFile:
		return e.fileJSON(ctx, c)
	case goal.FromCommand:
		return e.commandJSON(ctx, c)
	case goal.FromURL:
		a, err := e.fetch(ctx, c)
		if err != nil {
			return connectionFailure(ctx, err)
		}
		return e.applyPredicate(ctx, c, a.json(), a.verdict())
	case "", goal.FromClaim:
	}
	result := claim.Result
	if result == "" {
		result = claim.Rationale
	}
	if !json.Valid([]byte(result)) {
		return NewResult(goal.Fail, "the result given to claim_complete is not JSON: "+text.SanitizeLine(result, 200))
	}
	if len(result) > maxJSONBytes {
		return NewResult(goal.Fail,
			fmt.Sprintf("the result given to claim_complete has %d bytes, more than %d", len(result), maxJSONBytes))
	}
	return e.applyPredicate(ctx, c, []byte(result), evidenceOf([]byte(result), int64(len(result))))
}

func (e Environment) fileJSON(ctx context.Context, c Item) Result {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return RetryableError(fmt.Errorf("the goal's folder: %w", text.StripPathError(err)))
	}
	defer func() { _ = root.Close() }()
	b, _, err := fileio.Read(root, c.Path, maxJSONBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NewResult(goal.Fail, c.Path+" does not exist")
	case err != nil:
		return NewResult(goal.Fail, err.Error())
	case !json.Valid(b):
		return NewResult(goal.Fail, c.Path+" is not JSON: "+text.SanitizeLine(string(b), 200))
	}
	return e.applyPredicate(ctx, c, b, evidenceOf(b, int64(len(b))))
}

func (e Environment) commandJSON(ctx context.Context, c Item) Result {
	out, err := e.run(ctx, c, true, "-c", c.Command)
	if err != nil {
		return notStartedResult(err)
	}
	v := e.observe(c, out, programVerdict(out))
	switch {
	case out.TimedOut:
		r := RetryableError(fmt.Errorf("it did not end within %s and was killed", goal.FormatDuration(c.Timeout())))
		r.Tail = v.Tail
		return r
	case !json.Valid(out.Stdout): // also if it was truncated
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("the command did not print JSON (%s)", out.Status)
		return Result{Verdict: v}
	}
	return e.applyPredicate(ctx, c, out.Stdout, v)
}

// applyPredicate applies the check's expression to response and adds the result to v.
func (e Environment) applyPredicate(ctx context.Context, c Item, response []byte, v goal.Verdict) Result {
	from := time.Now()
	r := e.evaluate(ctx, c.Expr, response)
	v.Took += time.Since(from)
	v.TookMS = v.Took.Milliseconds()
	v.Outcome, v.Detail = r.Outcome, r.Detail
	if v.Outcome != goal.Pass && v.Tail == "" {
		v.Tail = "response is " + text.SanitizeLine(string(response), 1000)
	}
	return Result{Verdict: v, Retryable: r.Retryable}
}

// evaluate returns the result of an expression. If response lacks what the expression needs, the check fails; a
// mistake in the expression itself is an error.
func (e Environment) evaluate(ctx context.Context, expr string, response []byte) Result {
	if e.Predicates == nil {
		return permanentError("predicates cannot be evaluated here")
	}
	ok, err := e.Predicates.Evaluate(ctx, expr, response)
	var wrong *PredicateError
	switch {
	case errors.As(err, &wrong) && wrong.Kind == "type":
		return NewResult(goal.Fail, "the expression is not true: "+wrong.Text)
	case errors.As(err, &wrong):
		return permanentError(wrong.Text)
	case err != nil:
		return RetryableError(err)
	case !ok:
		return NewResult(goal.Fail, fmt.Sprintf("`%s` is false", expr))
	}
	return NewResult(goal.Pass, fmt.Sprintf("`%s` is true", expr))
}
