// Package process has the types for programs that the host starts. Every child (shell, Chromium, check, command) is a
// Command handed to a Launcher; no other package starts programs directly.
package process

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// Command describes a program to start. The program gets only what Command names: every other descriptor of the host
// is closed.
type Command struct {
	Argv []string // Argv[0] is looked up on the PATH of Env
	Env  []string // the whole environment, KEY=value
	Dir  string   // absolute
	// Files[i] becomes descriptor i of the program; nil is /dev/null. The
	// caller keeps its copies and closes them.
	Files []*os.File
	// TTY makes descriptor 0 the controlling terminal of the program.
	TTY bool
	// Domain is the sandbox that the program runs in; "" is that of the launcher's owner. A launcher without a
	// sandbox has one domain only.
	Domain Domain
	// Held are files that a program of DomainCheck sees in their protected state, not as the agent left them. A
	// launcher without a sandbox refuses them.
	Held []FileOverride
	// FreezeAgent stops the programs of the agent (all that run in the same sandbox without a domain) while this one
	// runs, so that none of them changes a file or answers for it. It is for DomainCheck; a launcher without a sandbox
	// refuses it. Set it only if the goal's programs listen on no port when the check starts: a check that uses a
	// server of the agent needs it running. While they are stopped, another program of the agent does not start, and
	// its terminals do not answer; the check's timeout bounds both.
	FreezeAgent bool
	// Trace asks for a TracedProcess. It is for DomainCheck. A launcher that cannot trace (only a sandbox on Linux can)
	// starts the program anyway, and returns a Process that is not a TracedProcess. One that finds this out only while
	// the program starts returns a TracedProcess whose Trace is empty, and whose Incomplete begins with
	// "not observed".
	Trace bool
}

// Domain names the sandbox that a program runs in.
type Domain string

// DomainCheck is the domain of the programs of checks. Each runs in a sandbox of its own, which the agent's programs
// cannot reach.
const DomainCheck Domain = "check"

// FileOverride replaces one file: a program that opens Path (absolute) gets Copy instead, and cannot write to it. With
// Copy "", Path does not exist. This holds even if Path or a folder above it is replaced.
type FileOverride struct{ Path, Copy string }

// Status is how a program ended.
type Status struct {
	Code   int            // exit code, or -1 when a signal ended it
	Signal syscall.Signal // 0 unless a signal ended it
}

// String formats it for users: "exit 1", "ended by signal 9 (killed)".
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("ended by signal %d (%s)", int(s.Signal), s.Signal)
	}
	return fmt.Sprintf("exit %d", s.Code)
}

// Process is one started program. All methods may be called concurrently.
type Process interface {
	Pid() int
	// Done is closed when the wait status is known. A child that still holds a pipe or a terminal open does not delay
	// it.
	Done() <-chan struct{}
	// Status is meaningful once Done is closed.
	Status() Status
	// Signal sends a signal to the whole process group, and SIGKILL to the whole session. It returns os.ErrProcessDone if
	// the program has ended, except that SIGKILL after SIGTERM ends what is left of the session.
	Signal(syscall.Signal) error
}

// ListingProcess is a Process that can list what it left running.
type ListingProcess interface {
	Process
	// ListLeft returns the command lines of the programs that run in its session, also after its end.
	ListLeft(ctx context.Context) ([]string, error)
}

// Launcher starts programs. A Launcher belongs to one owner (a goal, or the user); its programs end with it.
type Launcher interface {
	Start(ctx context.Context, c Command) (Process, error)
}

// TerminalLauncher is a Launcher that opens pseudo-terminals itself, because its programs must not see those of the
// machine.
type TerminalLauncher interface {
	Launcher
	// StartTerminal starts c with a new terminal of that size, in character cells, as descriptors 0 to 2 and as
	// controlling terminal. Files[3:] are passed on, Files[:3] must be nil. The caller closes master, which is
	// non-blocking.
	StartTerminal(ctx context.Context, c Command, cols, rows int) (p Process, master *os.File, err error)
}
