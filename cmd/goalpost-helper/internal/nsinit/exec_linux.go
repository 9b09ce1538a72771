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

	"goalpost/backend/host/sandbox/wire"
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
	wireErr := applyAndExec(n)
	body, err := json.Marshal(wireErr)
	if err != nil {
		return fmt.Errorf("saying why: %w", err)
	}
	if _, err := unix.Write(n+2, body); err != nil {
		return os.NewSyscallError("write", err)
	}
	return wireErr
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
		{"memory", func() error { setOOMScore(programOOMScore); return nil }}, // which hiding refuses
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
