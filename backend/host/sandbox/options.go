package sandbox

import (
	"errors"
	"fmt"
	"os"

	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// Options configures a Supervisor.
type Options struct {
	Helper string     // path, from Install
	Name   string     // of the owner, for errors: a goal's ID, "user"
	Spec   *spec.Spec // the sandbox; nil is none
	// Systemd makes a cgroup that bounds the sandbox's programs together. If systemd makes no cgroup, or Systemd is nil,
	// the helper measures their memory instead; Supervisor.CgroupError returns the reason.
	Systemd *cgroup.Manager
	// Attempted is called when the kernel refuses a call of a program: for each kind of violation the first, the tenth
	// and the hundredth time, and so on, one call at a time. nil ignores violations.
	Attempted func(Violation)
}

// Violation is something that a program inside a sandbox tried, and that the kernel refused or ended the program for.
// Files that do not exist are not included: the kernel does not report them.
type Violation struct {
	Check   bool   // whether the program belongs to a check and not to the agent
	Program string // the name that the program gives itself; "" if unknown
	Text    string // what it tried: "ptrace (request 16, process 7)"
	Times   int    // so far
	// Ended reports that the program was ended because the goal exceeded a limit, which Text names.
	Ended bool
}

func (v Violation) String() string {
	who := v.Program
	if who == "" {
		who = "a program"
	}
	if v.Check {
		who += " of a check"
	}
	if v.Ended {
		return who + " was ended: " + v.Text
	}
	text := "the kernel refused to " + who + ": " + v.Text
	if v.Times > 1 {
		text += fmt.Sprintf(" (%d times)", v.Times)
	}
	return text
}

// ErrRefused means that the kernel, or this container, does not allow a sandbox. The error's text names
// the step that failed and what to do.
var ErrRefused = errors.New("the sandbox cannot be made here")

// ErrClosed is the error of a start after Close or after the helper died.
var ErrClosed = errors.New("the supervisor of these programs is closed")

// ErrFolderBusy is the error of SealFolder if a program has a file of the folder open for writing.
var ErrFolderBusy = errors.New("a program has a file of the folder open for writing")

// ReplacedError ends a sandbox: another process replaced, moved or removed a file that the
// sandbox covered with a copy or hid, so its programs could have reached the real one.
type ReplacedError struct{ Path string }

func (r *ReplacedError) Error() string {
	return r.Path + " was replaced, moved or removed by another program while the goal's programs ran, so they were ended"
}

// StartError is the reason why a program did not start. Code is one of package wire: not_found,
// permission, no_dir, too_big, not_program, bad, unsupported, failed.
type StartError struct {
	Code    string
	Program string
	text    string
}

func (s *StartError) Error() string { return s.text }

// Is matches the errors that os/exec would return.
func (s *StartError) Is(target error) bool {
	switch wire.Code(s.Code) { //nolint:exhaustive // the others have no counterpart there
	case wire.NotFound, wire.NoDir:
		return errors.Is(target, os.ErrNotExist)
	case wire.Permission:
		return errors.Is(target, os.ErrPermission)
	}
	return false
}
