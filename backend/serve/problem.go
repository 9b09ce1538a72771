package serve

import (
	"context"
	"errors"

	"goalpost/backend/fault"
)

// problemOf is how an error reaches the page. What the bound methods return is complete;
// else the connection's end may have cut the call off.
func problemOf(err error) *fault.Error {
	f := fault.Of(err)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if ended && f.Code == fault.Internal {
		f.Code, f.Hint = fault.Unavailable, "try again"
	}
	return f
}
