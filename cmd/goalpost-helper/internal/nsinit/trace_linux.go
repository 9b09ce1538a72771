package nsinit

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
	"goalpost/cmd/goalpost-helper/internal/seccomp"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// checkTrace is the trace of a check's program. A process that waits for its own fork cannot answer that
// fork's calls, so the last stage, not this process, puts the filter on itself and passes the listener on.
type checkTrace struct {
	id     uint64 // of the program
	dirs   []string
	listen func(listener int, tracer *filetrace.Tracer) // starts answering
	// obstacle is the reason why nothing can be observed; the program then has the filter without a trace.
	obstacle string
	tracer   *filetrace.Tracer
}

// isObserved reports whether the program is observed. c may be nil.
func (c *checkTrace) isObserved() bool { return c != nil && c.obstacle == "" }

// newTracer returns the tracer of a program with process id pid.
func (c *checkTrace) newTracer(pid int) *filetrace.Tracer {
	return filetrace.NewTracer(pid, c.dirs, func(batch wire.TraceBatch) {
		_ = socket.Send(wire.Socket, wire.Answer{ID: c.id, Trace: &batch}) // read notices a broken socket
	})
}

// tracedDirs returns the folders in which every use is recorded: the goal's and the others that its agent may write,
// with a check's paths.
func tracedDirs(w wire.Spec, goalDir string) []string {
	dirs := []string{goalDir}
	for _, m := range w.Mounts {
		target := string(m.Target)
		if m.Kind == wire.MountBind && m.Write && !m.Fresh && !m.AgentOnly && !slices.Contains(dirs, target) {
			dirs = append(dirs, target)
		}
	}
	return dirs
}

// receive takes the listener from the last stage of a start, which is the process pid. Without one the program
// runs anyway, and the trace contains the reason. It returns once the last stage can execute the
// program, or has ended.
func (c *checkTrace) receive(from, pid int) error {
	note, control := make([]byte, 256), make([]byte, unix.CmsgSpace(4))
	for {
		n, controlSize, _, _, err := unix.Recvmsg(from, note, control, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("receiving the listener: %w", err)
		case n == 0: // it reports the reason through the other pipe
			return nil
		}
		fds, err := wire.Descriptors(control[:controlSize])
		if err != nil {
			return fmt.Errorf("receiving the listener: %w", err)
		}
		c.tracer = c.newTracer(pid)
		if len(fds) == 1 {
			c.listen(fds[0], c.tracer)
			return nil
		}
		why := string(note[:n])
		c.tracer.Fail("not observed: " + why)
		reportSilence(wire.DomainCheck, why)
		return nil
	}
}

// finish sends the rest of the trace, if one was asked for.
func (c *checkTrace) finish() {
	if c == nil {
		return
	}
	if c.obstacle != "" {
		c.tracer = c.newTracer(0)
		c.tracer.Fail("not observed: " + c.obstacle)
	}
	if c.tracer != nil {
		c.tracer.Finish()
	}
}

// passListener installs the filter on this thread and sends the listener, or the reason why there is none.
func passListener(to, pidEnd int) error {
	defer func() { _ = unix.Close(to) }()
	listener, silent, err := seccomp.InstallFilter(seccomp.FilterOptions{PidEnd: pidEnd, Traced: true})
	if err != nil {
		return err
	}
	note, rights := []byte("listener"), []byte(nil)
	if silent != nil {
		note = []byte("another supervisor above listens to system calls (" + silent.Error() + ")")
	} else {
		defer func() { _ = unix.Close(listener) }()
		rights = unix.UnixRights(listener)
	}
	return os.NewSyscallError("sendmsg", unix.Sendmsg(to, note, rights, nil, unix.MSG_NOSIGNAL))
}

// reportSilence reports that this sandbox cannot report attempts.
func reportSilence(domain wire.Domain, why string) {
	_ = socket.Send(wire.Socket, wire.Answer{
		Attempt: &wire.Violation{Domain: domain, Times: 1, Text: "refused calls are not reported here: " + why},
	})
}
