package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/host/sandbox/wire"
	"goalpost/backend/lib/text"
)

// errNoLimit is the CgroupError of programs without a common memory limit.
var errNoLimit = errors.New("these programs have no limit together")

// errNotAsked is the CgroupError of a sandbox that was opened without a systemd.
var errNotAsked = errors.New("no systemd was asked for a cgroup")

// CgroupError returns why the kernel does not bound the memory of all programs together, or nil if it does. It is a
// *fault.Error if the user can change that.
func (s *Supervisor) CgroupError() error { return s.scopeErr }

// helperTasks is how many processes and threads the helper itself has at most, in a goal with several checks.
const helperTasks = 256

// maxTasks is the limit of all sandboxes of a goal together: the agent's and those of three checks can be full. The
// limits of the individual sandboxes are reached first: the goal's first process, which starts the checks, has no
// threads in reserve.
func maxTasks(l wire.Limits) int { return 4*l.Processes + helperTasks }

// openScope has systemd bound the helper, and what it will start. The helper waits for its first request in the
// meantime. If the kernel enforces the limit, the helper does not measure memory.
func (s *Supervisor) openScope(ctx context.Context, systemd *cgroup.Manager, w *wire.Spec) {
	switch {
	case w.Limits.Together <= 0 || w.Limits.Processes <= 0:
		s.scopeErr = errNoLimit
	case systemd == nil:
		s.scopeErr = errNotAsked
	default:
		limits := cgroup.Limits{Memory: w.Limits.Together, Tasks: maxTasks(w.Limits)}
		s.scope, s.scopeErr = systemd.Open(ctx, s.name, s.helper.Process.Pid, limits)
	}
	if s.scope == nil {
		return
	}
	if err := s.scope.Watch(s.reportKills); err != nil {
		s.scopeErr = errors.Join(err, s.scope.Close())
		s.scope = nil
		return
	}
	w.Limits.Together, w.Limits.Memory = 0, 0
}

// reportKills reports the programs that the kernel has ended for memory since the last call.
func (s *Supervisor) reportKills() {
	if s.scope == nil {
		return
	}
	s.scope.ReportKills(func(kill cgroup.Kill) {
		s.violations.add(wire.Violation{
			Domain:  s.domainOf(kill.PID),
			Program: text.SanitizeLine(kill.Program, 64),
			Text:    s.killReason(kill),
			Times:   1,
			Ended:   true,
		})
	})
}

// killReason is the text of a violation. The number makes each text different, because the journal stores equal texts
// once.
func (s *Supervisor) killReason(kill cgroup.Kill) string {
	most := s.scope.Limits.Memory >> 20
	reason := fmt.Sprintf("the goal's programs needed more than the %d MiB of memory together that are allowed", most)
	if kill.Outside {
		reason = fmt.Sprintf("memory ran out on this machine, or in a slice of systemd, before the goal's programs had the "+
			"%d MiB together that are allowed", most)
	}
	if kill.Count > 1 {
		reason += fmt.Sprintf(" (%d programs so far; shared memory that no program has attached counts, too: ipcs lists it)",
			kill.Count)
	}
	return reason
}

// domainOf returns the domain of the sandbox that a process is in. Between the helper and a program are the goal's
// init and the init of the sandbox; processes further down prove nothing, because a program chooses its own arguments.
func (s *Supervisor) domainOf(pid int) wire.Domain {
	var chain []int // from the process up to the goal's init
	for pid > 1 && pid != s.helper.Process.Pid {
		chain = append(chain, pid)
		pid = parentOf(pid)
	}
	if pid <= 1 || len(chain) < 3 {
		return wire.DomainAgent
	}
	argv, _ := os.ReadFile("/proc/" + strconv.Itoa(chain[len(chain)-2]) + "/cmdline")
	if bytes.HasSuffix(argv, []byte("\x00init\x00"+wire.DomainCheck+"\x00")) {
		return wire.DomainCheck
	}
	return wire.DomainAgent
}

// parentOf returns the parent of a process, 0 if the process is gone.
func parentOf(pid int) int {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(status), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	parent, _ := strconv.Atoi(strings.TrimSpace(line))
	return parent
}

// closeScope reports what the kernel ended last, and ends the watch. The helper has ended or is about to.
func (s *Supervisor) closeScope() {
	if s.scope == nil {
		return
	}
	s.reportKills()
	_ = s.scope.Close() // nothing is left to lose
}
