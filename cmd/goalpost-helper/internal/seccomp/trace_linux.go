package seccomp

import (
	"errors"

	"golang.org/x/sys/unix"

	"goalpost/cmd/goalpost-helper/internal/filetrace"
)

// traceWorkers is the number of goroutines that answer calls: every call of a traced program that names a file waits
// for one.
const traceWorkers = 2

// notifyOnTraced suspends the calls that a tracer observes. It is the last part of the filter, so that earlier parts
// can refuse a call.
func (b *bpfProgram) notifyOnTraced() {
	b.notifyOnChildHandler()
	for _, rule := range filetrace.FilterRules() {
		if rule.Flags < 0 {
			b.skipUnless(rule.Number, 1)
			b.ret(retNotify)
			continue
		}
		b.skipUnless(rule.Number, 4)
		b.load(uint32(atArg0 + (atArg1-atArg0)*rule.Flags))
		b.skipUnlessBits(unix.AT_EMPTY_PATH, 1)
		b.ret(unix.SECCOMP_RET_ALLOW)
		b.ret(retNotify)
	}
}

// wakeOnSameProcessor has the kernel run the listener where the caller ran, which halves the cost of a call.
// Kernels before 6.6 cannot.
func wakeOnSameProcessor(listener int) {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

// isUnused reports whether no program has the filter any more.
func isUnused(listener int) bool {
	events := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
	n, err := unix.Poll(events, 0)
	return err == nil && n == 1 && events[0].Revents&unix.POLLHUP != 0
}

// trace records a call of a traced program. It reports whether the call was answered.
func (no *Notifier) trace(n notice) bool {
	if no.tracer == nil {
		return false
	}
	if n.nr == unix.SYS_RT_SIGACTION {
		no.restartCalls(n)
		no.reply(reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
		return true
	}
	if !filetrace.IsTraced(uint32(n.nr)) || isSetID(n) {
		return false
	}
	errno := no.tracer.Observe(uint32(n.nr), n.pid, n.args, func() bool { return no.isValid(n.id) })
	if errors.Is(errno, unix.EACCES) && no.isValid(n.id) {
		violation := describeCall("name a file in memory that the trace of the check cannot read")
		violation.Program = processName(n.pid)
		no.count(violation)
	}
	_, renames := renameCalls[uint32(n.nr)]
	switch {
	case errno != 0:
		no.reply(reply{id: n.id, errno: -int32(errno)})
	case renames:
		no.handleRename(n)
	default:
		no.reply(reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
	}
	return true
}
