package environ

import (
	"context"
	"os"
	"strings"
)

type callerKey struct{}

// With returns a context for what is done for another program with this environment.
func With(ctx context.Context, env []string) context.Context {
	return context.WithValue(ctx, callerKey{}, env)
}

// Of returns the environment of the program for which something is done: that of this process, unless With has set
// another.
func Of(ctx context.Context) []string {
	if env, ok := ctx.Value(callerKey{}).([]string); ok {
		return env
	}
	return os.Environ()
}

// Get returns one variable of that environment, "" if it is not set.
func Get(ctx context.Context, name string) string {
	env, ok := ctx.Value(callerKey{}).([]string)
	if !ok {
		return os.Getenv(name)
	}
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
