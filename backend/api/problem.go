package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"goalpost/backend/browser"
	"goalpost/backend/config"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/pane"
	"goalpost/backend/secret"
	"goalpost/backend/ssh"
	"goalpost/backend/store"
)

// Codes of problems.
const (
	Refused     = "refused"
	NotFound    = "not_found"
	Conflict    = "conflict"
	Unavailable = "unavailable"
	Internal    = "internal"
	// ProtectedChanged says that the user must decide about changed protected files first.
	ProtectedChanged = "protected_changed"
)

// apiBase is what every area has: the program's life, and the guard at its exit.
type apiBase struct{ ctx context.Context }

// recoverProblem turns a panic and every error of a bound method into a Problem: a
// promise that never settles would leave the page waiting.
func (apiBase) recoverProblem(err *error) {
	if p := recover(); p != nil {
		slog.Error("panic in a bound method", "panic", p, "stack", string(debug.Stack()))
		*err = &Problem{Code: Internal, Message: fmt.Sprintf("something broke inside Goalpost: %v", p), Hint: "the log in the state folder has the details"}
		return
	}
	if *err != nil {
		*err = ToProblem(*err)
	}
}

// ToProblem says an error as the page and the command line show it.
func ToProblem(err error) *Problem {
	var problem *Problem
	var refusal *goal.InvalidError
	var older *store.OutdatedSchemaError
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &refusal):
		return &Problem{Code: Refused, Message: refusal.Reason, Hint: refusal.Hint, Field: refusal.Field}
	case errors.Is(err, goal.ErrNotFound):
		return &Problem{Code: NotFound, Message: err.Error(), Hint: "list shows what there is"}
	case errors.Is(err, os.ErrNotExist):
		return &Problem{Code: NotFound, Message: err.Error(), Hint: "look whether it is written right and still there"}
	case errors.Is(err, store.ErrGoalLocked):
		return &Problem{Code: Conflict, Message: err.Error(), Hint: "look at it there, or abort it"}
	case errors.Is(err, store.ErrNewerSchema):
		return &Problem{Code: Unavailable, Message: err.Error(), Hint: "update Goalpost"}
	case errors.As(err, &older):
		return &Problem{Code: Unavailable, Message: err.Error(), Hint: "open Goalpost, or run `doctor`: either brings it up to date and keeps a copy; reading alone changes nothing"}
	case errors.Is(err, browser.ErrLocked):
		return &Problem{Code: Conflict, Message: err.Error(), Hint: "a temporary page works", Field: "profile"}
	case errors.Is(err, browser.ErrAgentInControl), errors.Is(err, browser.ErrTakenOver):
		return &Problem{Code: Conflict, Message: err.Error()}
	case errors.Is(err, browser.ErrRefused):
		return &Problem{Code: Refused, Message: err.Error(), Field: "url"}
	case errors.Is(err, browser.ErrMissing):
		return &Problem{Code: Unavailable, Message: err.Error(), Hint: "install Chromium; terminals work without it"}
	}
	if m, ok := model.AsError(err); ok {
		return &Problem{Code: Unavailable, Message: m.Message, Hint: m.Hint, Field: "provider"}
	}
	var field *pane.InvalidError
	if errors.As(err, &field) {
		return &Problem{Code: Refused, Message: field.Reason, Field: field.Field}
	}
	if errors.Is(err, ssh.ErrLogin) {
		return &Problem{Code: Unavailable, Message: err.Error(), Hint: "open a pane on it, which can ask; or use a key and an agent"}
	}
	if p := secretProblem(err); p != nil {
		return p
	}
	var invalid *config.InvalidError
	if errors.As(err, &invalid) {
		return &Problem{Code: Refused, Message: invalid.Message, Hint: invalid.Hint, Field: invalid.Field}
	}
	return &Problem{Code: Internal, Message: err.Error(), Hint: hintForSystemError(err)}
}

func secretProblem(err error) *Problem {
	var invalid *secret.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &Problem{Code: Refused, Message: invalid.Message, Hint: invalid.Hint, Field: invalid.Field}
	case errors.Is(err, secret.ErrUnknown):
		return &Problem{Code: NotFound, Message: err.Error(), Hint: "secret list shows what is kept"}
	case errors.Is(err, secret.ErrLocked):
		return &Problem{Code: Unavailable, Message: err.Error(), Hint: "unlock them in the settings, or run the command in a terminal, which asks"}
	case errors.Is(err, secret.ErrPassphrase):
		return &Problem{Code: Refused, Message: err.Error(), Field: "passphrase"}
	}
	return nil
}

// sanitizeOutput makes output fit to be shown: valid UTF-8.
func sanitizeOutput(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// IsConflict reports whether an error is a Problem with the code Conflict.
func IsConflict(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Code == Conflict
}
