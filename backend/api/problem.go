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
)

// apiBase is what every area has: the program's life, and the guard at its exit.
type apiBase struct{ ctx context.Context }

// recoverProblem turns a panic and every error of a bound method into a fault.Error: a
// promise that never settles would leave the page waiting.
func (apiBase) recoverProblem(err *error) {
	if p := recover(); p != nil {
		slog.Error("panic in a bound method", "panic", p, "stack", string(debug.Stack()))
		*err = &fault.Error{Code: fault.Internal, Message: fmt.Sprintf("something broke inside Goalpost: %v", p), Hint: "the log in the state folder has the details"}
		return
	}
	if *err != nil {
		*err = ToProblem(*err)
	}
}

// ToProblem says an error as the page and the command line show it.
func ToProblem(err error) *fault.Error {
	f := fault.Of(err)
	switch {
	case f.Code != fault.Internal:
	case errors.Is(err, os.ErrNotExist):
		f.Code, f.Hint = fault.NotFound, "look whether it is written right and still there"
	case f.Hint == "":
		f.Hint = hintForSystemError(err)
	}
	return f
}

// sanitizeOutput makes output fit to be shown: valid UTF-8.
func sanitizeOutput(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
