package nsinit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/landlock"
	"goalpost/cmd/goalpost-helper/internal/privileges"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// ExecProgram drops every privilege and executes the program. first is the number of the plan's descriptor, followed
// by the ruleset, the pipe for errors and, for a traced program, the socket for the listener. Everything happens on
// this thread, whose attributes the program inherits.
func ExecProgram(first string) error {
	n, err := strconv.Atoi(first)
	if err != nil {
		return fmt.Errorf("the plan's descriptor: %w", err)
	}
	for fd := n; fd < n+3; fd++ {
		unix.CloseOnExec(fd)
	}
	refused := applyAndExec(n)
	body, err := json.Marshal(refused)
	if err != nil {
		return fmt.Errorf("saying why: %w", err)
	}
	if _, err := unix.Write(n+2, body); err != nil {
		return os.NewSyscallError("write", err)
	}
	return refused
}

// applyAndExec returns only on failure.
func applyAndExec(n int) *wire.Error {
	file := os.NewFile(uintptr(n), "plan")
	body, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<30))
	var p execPlan
	if err := errors.Join(err, json.Unmarshal(body, &p)); err != nil {
		return &wire.Error{Code: wire.Failed, Text: "reading the plan: " + err.Error()}
	}
	argv, env := supervise.ByteStrings(p.Argv), supervise.ByteStrings(p.Env)
	for _, step := range []struct {
		name string
		do   func() error
	}{
		// No other process can open this one's files through /proc while it is the helper.
		{"hiding", func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }},
		{"limits", func() error { return setLimits(p.Limits) }},
		{"rights", func() error { return privileges.Drop(p.UID, p.GID) }},
		{"no new rights", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"Landlock", func() error { return landlock.RestrictSelf(n + 1) }},
		{"folder", func() error { return os.Chdir(string(p.Dir)) }},
		{"trace", func() error { // last, because it suspends this process's own calls
			if !p.Traced {
				return nil
			}
			unix.CloseOnExec(n + 3)
			return passListener(n+3, p.PidEnd)
		}},
	} {
		if err := step.do(); err != nil {
			return &wire.Error{Code: errorCode(err), Text: fmt.Sprintf("starting %s: %s: %v", p.Path, step.name, err)}
		}
	}
	return supervise.ExecError(syscall.Exec(string(p.Path), argv, env), string(p.Path), argv, env)
}

func errorCode(err error) wire.Code {
	if errors.Is(err, os.ErrPermission) {
		return wire.Permission
	}
	return wire.Failed
}

// maxMessageQueueBytes is the total size of POSIX message queues: the kernel's default.
const maxMessageQueueBytes = 800 << 10

// dataLimit returns the bytes of data that a process may map; 0 means no limit. The kernel counts mapped, not used,
// memory, and sanitizers map terabytes of shadow memory, so the limit applies only where no watch measures the memory
// in use.
func dataLimit(l wire.Limits) uint64 {
	if l.Together > 0 {
		return 0
	}
	return uint64(l.Memory)
}

// setLimits sets the resource limits of the program and its children.
func setLimits(l wire.Limits) error {
	for _, bound := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_NPROC, uint64(l.Processes)},
		{unix.RLIMIT_DATA, dataLimit(l)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize)},
		{unix.RLIMIT_MSGQUEUE, maxMessageQueueBytes},
	} {
		var have unix.Rlimit
		if err := unix.Getrlimit(bound.resource, &have); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		if bound.most == 0 || have.Max < bound.most {
			continue
		}
		if err := unix.Setrlimit(bound.resource, &unix.Rlimit{Cur: bound.most, Max: bound.most}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return os.NewSyscallError("setrlimit", err)
	}
	if l.Nice == 0 {
		return nil
	}
	// Of this thread; the program inherits it.
	have, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // the kernel returns 20 minus nice
	if err != nil {
		return os.NewSyscallError("getpriority", err)
	}
	if nice := 20 - have; nice < l.Nice {
		return os.NewSyscallError("setpriority", unix.Setpriority(unix.PRIO_PROCESS, 0, l.Nice))
	}
	return nil
}
