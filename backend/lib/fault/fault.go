// Package fault defines the only error type that users see: a code for programs, a message, a hint about what to do
// next, and the field of the input that is wrong.
package fault

import "errors"

// Codes of errors, as the page and `--json` show them.
const (
	Refused     = "refused"
	NotFound    = "not_found"
	Conflict    = "conflict"
	Unavailable = "unavailable"
	Internal    = "internal"
	// Closed means that a user closed the pane while something was done in it: the window says nothing.
	Closed = "closed"
	// ProtectedChanged means that the user must first decide about changed protected files.
	ProtectedChanged = "protected_changed"
	// FolderMissing means that the named folder does not exist; the window offers to create it.
	FolderMissing = "folder_missing"
	// A check passes already, or its program is missing: the window offers to start anyway.
	CheckPasses  = "check_passes"
	CheckMissing = "check_missing"
)

// Error is an error with a hint about what its reader can do.
type Error struct {
	Code    string `json:"code"` // "" means Refused until Of fills it in
	Message string `json:"message"`
	Hint    string `json:"hint"`  // what to do next, "" if nothing
	Field   string `json:"field"` // the input's field that is wrong, as in the dialog and the flags; "" if none

	// CommandHint is the hint of the command line, with its flags and commands; "" if Hint fits there, too.
	CommandHint string `json:"-"`

	kind bool // made by Kind: other errors wrap it
}

// Kind makes an error that others wrap and compare with errors.Is, such as goal.ErrNotFound. The message that the
// user sees is that of the wrapping error.
func Kind(code, field, message, hint string) *Error {
	return &Error{Code: code, Field: field, Message: message, Hint: hint, kind: true}
}

// New makes an error with a code; the hint says what to do next.
func New(code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Invalid makes the error of an input's field that cannot be accepted; the hint says what can.
func Invalid(field, message, hint string) *Error {
	return &Error{Code: Refused, Field: field, Message: message, Hint: hint}
}

// OnCommandLine sets the hint of the command line, and returns the error.
func (e *Error) OnCommandLine(hint string) *Error {
	e.CommandHint = hint
	return e
}

// Error returns the message, followed by the hint in parentheses. For a Kind it returns the message alone, because
// that message is part of a longer one.
func (e *Error) Error() string {
	if e.Hint == "" || e.kind {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

// MessageWithHint returns both, for a reader who gets one line.
func (e *Error) MessageWithHint() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// Of returns the first Error in err's chain, complete with its code. Other types take part with a method As(any) bool.
// An error without one becomes Internal. It never returns nil.
func Of(err error) *Error {
	var found *Error
	if !errors.As(err, &found) {
		return &Error{Code: Internal, Message: err.Error()}
	}
	e := *found
	if e.kind {
		e.Message, e.kind = err.Error(), false
	}
	if e.Code == "" {
		e.Code = Refused
	}
	return &e
}
