package goal

import "context"

// Run names one run of one goal. It travels in the context of everything that
// is done for the goal: nothing asks "which goal is running".
type Run struct {
	Goal    ID
	ID      string // new for each start
	Control Control
}

// Control is how a tool call reaches the run that made it.
type Control interface {
	Claim(rationale, result string)
	GiveUp(reason, learned string)
}

type runKey struct{}

// WithRun returns a context that carries r.
func WithRun(ctx context.Context, r Run) context.Context {
	return context.WithValue(ctx, runKey{}, r)
}

// RunOf returns the run that ctx belongs to; ok is false outside any run.
func RunOf(ctx context.Context) (r Run, ok bool) {
	r, ok = ctx.Value(runKey{}).(Run)
	return r, ok
}
