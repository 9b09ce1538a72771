package serve

import (
	"context"
	"errors"

	"goalpost/backend/lib/fault"
)

// problemOf converts an error for the page. An error without a code that comes from an ended context means that the
// server was closing.
func problemOf(err error) *fault.Error {
	f := fault.Of(err)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if ended && f.Code == fault.Internal {
		f.Code, f.Hint = fault.Unavailable, "try again"
	}
	return f
}
