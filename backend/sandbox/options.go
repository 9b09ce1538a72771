package sandbox

import (
	"errors"
	"fmt"
	"os"

	"goalpost/backend/sandbox/spec"
	"goalpost/backend/sandbox/wire"
)

// Options says which helper holds the set.
type Options struct {
	Helper string     // path, from Install
	Name   string     // of the owner, for errors: a goal's id, "person"
	Spec   *spec.Spec // around a goal's programs; nil is none
	// Attempted hears of what programs tried and the kernel refused, one after the
	// other; each kind the first time, the tenth, the hundredth. nil is nobody.
	Attempted func(Violation)
}

// Violation is something that a program inside a sandbox tried and that the kernel
// refuses, or for which it was ended. Which files it looked for in vain is not among
// them: the kernel tells nobody of those.
type Violation struct {
	Check   bool   // a check's program; else the agent's
	Program string // its name, as it calls itself; "" when it is not known
	Text    string // what it tried: "ptrace (request 16, process 7)"
	Times   int    // so far
	// Ended: the program was ended, and Text says why: all programs of the goal took
	// more than it may have.
	Ended bool
}

func (a Violation) String() string {
	who := a.Program
	if who == "" {
		who = "a program"
	}
	if a.Check {
		who += " of a check"
	}
	if a.Ended {
		return who + " was ended: " + a.Text
	}
	text := "the kernel refused to " + who + ": " + a.Text
	if a.Times > 1 {
		text += fmt.Sprintf(" (%d times)", a.Times)
	}
	return text
}

// ErrRefused says that the kernel, or this container, does not let a sandbox be
// made. The error's text names the step that failed and what to do.
var ErrRefused = errors.New("the sandbox cannot be made here")

// ErrClosed is the answer to a start on a set that is closed or whose helper died.
var ErrClosed = errors.New("the set of programs is closed")

// ReplacedError ends a sandbox: another process replaced, moved or removed a file that the
// sandbox covered with a copy or hid, so its programs could have reached the real one.
type ReplacedError struct{ Path string }

func (e *ReplacedError) Error() string {
	return e.Path + " was replaced, moved or removed by another program while the goal's programs ran, so they were ended"
}

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
