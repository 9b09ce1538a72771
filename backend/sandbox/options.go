package sandbox

import (
	"errors"
	"os"

	"goalpost/backend/sandbox/wire"
)

// Options says which helper holds the set.
type Options struct {
	Helper string // path, from Install
	Name   string // of the owner, for errors: a goal's id, "person"
	Walls  *Walls // around a goal's programs; nil is none
}

// ErrClosed is the answer to a start on a set that is closed or whose helper died.
var ErrClosed = errors.New("the set of programs is closed")

// StartError says why a program did not start. Code is one of package wire:
// not_found, permission, no_dir, too_big, not_program, bad, unsupported, failed.
type StartError struct {
	Code    string
	Program string
	text    string
}

func (e *StartError) Error() string { return e.text }

// Is lets errors.Is find the error that os/exec would have given.
func (e *StartError) Is(target error) bool {
	switch wire.Code(e.Code) { //nolint:exhaustive // the others have no counterpart there
	case wire.NotFound, wire.NoDir:
		return errors.Is(target, os.ErrNotExist)
	case wire.Permission:
		return errors.Is(target, os.ErrPermission)
	}
	return false
}
