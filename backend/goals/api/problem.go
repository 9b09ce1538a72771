package api

import (
	"errors"
	"os"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// ToProblem converts an error to a fault.Error, which the page and the command line show, and adds a hint if it can.
func ToProblem(err error) *fault.Error {
	f := fault.Of(store.Explain(err))
	switch {
	case f.Code != fault.Internal, f.Hint != "":
	case errors.Is(err, os.ErrNotExist):
		f.Code, f.Hint = fault.NotFound, "check that it is spelled correctly and still exists"
	default:
		f.Hint = hintForSystemError(err)
	}
	return f
}

// IsConflict reports whether an error has the code Conflict.
func IsConflict(err error) bool {
	var p *fault.Error
	return errors.As(err, &p) && p.Code == fault.Conflict
}
