package serve

import (
	"context"
	"errors"

	"goalpost/backend/fault"
)

// problemOf is the form in which an error reaches the page. Errors of bound methods are complete; otherwise the
// connection's end may have interrupted the call.
func problemOf(err error) *fault.Error {
	f := fault.Of(err)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if ended && f.Code == fault.Internal {
		f.Code, f.Hint = fault.Unavailable, "try again"
	}
	return f
}
