package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"goalpost/backend/fault"
	"goalpost/backend/store"
)

// apiBase is embedded in every API: the program's life, and the recovery from panics.
type apiBase struct{ ctx context.Context }

// recoverProblem turns a panic and every error of a bound method into a fault.Error: a promise that never settles
// would block the page.
func (apiBase) recoverProblem(err *error) {
	if p := recover(); p != nil {
		slog.Error("panic in a bound method", "panic", p, "stack", string(debug.Stack()))
		*err = fault.New(fault.Internal, fmt.Sprintf("something broke inside Goalpost: %v", p),
			"the log in the state folder has the details")
		return
	}
	if *err != nil {
		*err = ToProblem(*err)
	}
}

// withGoal calls do with the goal whose id is, or has as a unique part, id.
func withGoal[T any](
	a apiBase, s *store.Store, id string, do func(store.GoalRow) (T, error),
) (out T, err error) {
	defer a.recoverProblem(&err)
	row, err := s.Find(a.ctx, id)
	if err != nil {
		return out, err
	}
	return do(row)
}

// viewAll makes the views of a list, never nil.
func viewAll[S, T any](list []S, view func(S) T) []T {
	views := make([]T, len(list))
	for i, one := range list {
		views[i] = view(one)
	}
	return views
}

// ToProblem converts an error to the form that the page and the command line show.
func ToProblem(err error) *fault.Error {
	f := fault.Of(err)
	switch {
	case f.Code != fault.Internal:
	case errors.Is(err, os.ErrNotExist):
		f.Code, f.Hint = fault.NotFound, "check that it is spelled correctly and still exists"
	case f.Hint == "":
		f.Hint = hintForSystemError(err)
	}
	return f
}

// sanitizeOutput makes output valid UTF-8.
func sanitizeOutput(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// IsConflict reports whether an error has the code Conflict.
func IsConflict(err error) bool {
	var p *fault.Error
	return errors.As(err, &p) && p.Code == fault.Conflict
}
