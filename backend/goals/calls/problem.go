package calls

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// apiBase is embedded in every API. It recovers from panics.
type apiBase struct {
	ctx context.Context // lasts as long as the program
}

// recoverProblem converts a panic and every error of a bound method to a fault.Error. Otherwise a panic would leave the
// page with a promise that never settles.
func (apiBase) recoverProblem(err *error) {
	if p := recover(); p != nil {
		slog.Error("panic in a bound method", "panic", p, "stack", string(debug.Stack()))
		*err = fault.New(fault.Internal, fmt.Sprintf("internal error in Goalpost: %v", p),
			"the log in the data folder has the details")
		return
	}
	if *err != nil {
		*err = api.ToProblem(*err)
	}
}

// withGoal calls do with the goal that id names; it may be a unique part of the goal's id.
func withGoal[T any](
	a apiBase, s *store.Store, id string, do func(store.GoalRow) (T, error),
) (out T, err error) {
	defer a.recoverProblem(&err)
	row, err := s.Goals.Find(a.ctx, id)
	if err != nil {
		return out, err
	}
	return do(row)
}

// viewAll returns the views of a list, never nil.
func viewAll[S, T any](list []S, view func(S) T) []T {
	views := make([]T, len(list))
	for i, one := range list {
		views[i] = view(one)
	}
	return views
}
