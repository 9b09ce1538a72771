package api

import (
	"context"

	"goalpost/backend/domain/goal"
)

// Caller is the program for which something is done in another process. Its environment is that of environ.Of.
type Caller struct {
	// IsAttended reports that a user sits at its terminal and may answer approvals.
	IsAttended bool
	// AskPassphrase asks that user for the passphrase of the encrypted secrets.
	AskPassphrase func(context.Context) (string, error)
}

type callerKey struct{}

// WithCaller returns a context for what is done for another program.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns that program, false if something is done for this process or its pages.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

type preflightedKey struct{}

// WithPreflighted returns a context in which a goal that starts passes the result of pre-flight for each of its checks
// to a function, if it can start.
func WithPreflighted(ctx context.Context, f func(goal.Check, TryOutput)) context.Context {
	return context.WithValue(ctx, preflightedKey{}, f)
}

// Preflighted returns that function, nil if there is none.
func Preflighted(ctx context.Context) func(goal.Check, TryOutput) {
	f, _ := ctx.Value(preflightedKey{}).(func(goal.Check, TryOutput))
	return f
}
