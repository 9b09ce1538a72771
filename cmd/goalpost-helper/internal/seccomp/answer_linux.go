package seccomp

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
)

// StartNotifier starts answering; it ends with the process. Its goroutines run on threads without the filter: the
// filter is on the main thread or, with a tracer, in another process. tracer is nil unless the filter was built for
// one. pidEnd is the PidEnd of the filter's options.
func StartNotifier(
	fd, pidEnd int, domain wire.Domain, w wire.Spec, granted socketGrants, files *MountedNames, tracer *filetrace.Tracer,
) *Notifier {
	l := &Notifier{
		fd:      fd,
		pidEnd:  pidEnd,
		domain:  domain,
		sockets: granted,
		mounted: files,
		tracer:  tracer,
		asUser:  newUserThreads(w.UID, w.GID),
		times:   map[wire.Violation]int{},
		more:    make(chan struct{}, 1),
	}
	go l.report()
	go l.answer()
	if tracer != nil {
		wakeOnSameProcessor(fd)
		for range traceWorkers - 1 {
			go l.answer()
		}
	}
	return l
}

func (no *Notifier) answer() {
	for {
		var n notice
		_, _, errno := unix.Syscall(
			unix.SYS_IOCTL, uintptr(no.fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		switch errno {
		case 0:
		case unix.EINTR, unix.ENOENT: // the caller died before its call was received
			if errno == unix.ENOENT && isUnused(no.fd) {
				return
			}
			continue
		default:
			no.count(wire.Violation{Text: "further refused calls are not reported: " + errno.Error()})
			if no.tracer != nil { // no program may wait forever or continue unobserved
				no.tracer.Fail("not observed to the end: " + errno.Error())
				_ = unix.Kill(-1, unix.SIGKILL)
			}
			return
		}
		if no.trace(n) {
			continue
		}
		if _, ok := renameCalls[uint32(n.nr)]; ok {
			no.handleRename(n)
			continue
		}
		if isDatagramPair(n) {
			no.makeDatagramPair(n)
			continue
		}
		var address []byte
		if n.nr == unix.SYS_CONNECT {
			address = readSockaddr(n)
		}
		r, violation := no.decide(n, address)
		if violation.Text != "" && no.isValid(n.id) { // otherwise the memory belonged to another process
			violation.Program = processName(n.pid)
			no.count(violation)
		}
		if n.nr == unix.SYS_CONNECT { // connecting may take a while
			no.noteConnect(address)
			go no.handleConnect(n, address)
			continue
		}
		no.reply(r)
	}
}

// decide returns the answer to a call and a description of the attempt, "" if there is nothing to report. The
// arguments in n are the kernel's copy. Memory behind a pointer can change at any time, so it is reported but never
// decides.
func (no *Notifier) decide(n notice, address []byte) (reply, wire.Violation) {
	goOn := reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if isSetID(n) {
		return reply{id: n.id, errno: -int32(unix.EPERM)}, describeCall("make a file setuid or setgid")
	}
	switch n.nr {
	case unix.SYS_IO_URING_SETUP:
		return reply{id: n.id, errno: -int32(unix.ENOSYS)}, describeCall("io_uring")
	case unix.SYS_CONNECT:
		return goOn, no.checkConnect(n, address) // handleConnect makes the connections that are possible
	case unix.SYS_KILL:
		return goOn, describeCall(no.checkSignalTarget(int(int32(uint32(n.args[0])))))
	case unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME:
		return goOn, describeCall("change the machine's name")
	}
	if _, ok := mknodCalls[uint32(n.nr)]; ok {
		return goOn, describeCall("make a device")
	}
	return reply{id: n.id, errno: -int32(unix.EPERM)}, describeCall(syscallName(n))
}

// syscallName returns the name of a refused system call.
func syscallName(n notice) string {
	switch n.nr {
	case unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
		unix.SYS_SCHED_SETATTR, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET:
		return "change how the first process of its sandbox runs"
	case unix.SYS_CLONE:
		return "make a namespace (clone)"
	case unix.SYS_UNSHARE:
		return "make a namespace (unshare)"
	case unix.SYS_IOCTL:
		return "type into a terminal by TIOCSTI or TIOCLINUX"
	case unix.SYS_SOCKET, unix.SYS_SOCKETPAIR:
		return fmt.Sprintf("open a socket of family %d, type %d, protocol %d", uint32(n.args[0]), uint32(n.args[1])&0xf,
			uint32(n.args[2]))
	case unix.SYS_PTRACE:
		return fmt.Sprintf("ptrace (request %d, process %d)", n.args[0], int32(n.args[1]))
	}
	if name := syscallNames[uint32(n.nr)]; name != "" {
		return name
	}
	return fmt.Sprintf("system call %d", n.nr)
}

// syscallNames has the names of refused calls that users may know.
var syscallNames = map[uint32]string{
	unix.SYS_SETNS:             "setns",
	unix.SYS_MOUNT:             "mount",
	unix.SYS_UMOUNT2:           "umount",
	unix.SYS_PIVOT_ROOT:        "pivot_root",
	unix.SYS_CHROOT:            "chroot",
	unix.SYS_MOVE_MOUNT:        "move_mount",
	unix.SYS_OPEN_TREE:         "open_tree",
	unix.SYS_FSOPEN:            "fsopen",
	unix.SYS_FSMOUNT:           "fsmount",
	unix.SYS_MOUNT_SETATTR:     "mount_setattr",
	unix.SYS_PROCESS_VM_READV:  "process_vm_readv",
	unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev",
	unix.SYS_PIDFD_GETFD:       "pidfd_getfd",
	unix.SYS_KCMP:              "kcmp",
	unix.SYS_BPF:               "bpf",
	unix.SYS_PERF_EVENT_OPEN:   "perf_event_open",
	unix.SYS_USERFAULTFD:       "userfaultfd",
	unix.SYS_KEYCTL:            "keyctl",
	unix.SYS_ADD_KEY:           "add_key",
	unix.SYS_REQUEST_KEY:       "request_key",
	unix.SYS_KEXEC_LOAD:        "kexec_load",
	unix.SYS_REBOOT:            "reboot",
	unix.SYS_INIT_MODULE:       "init_module",
	unix.SYS_FINIT_MODULE:      "finit_module",
	unix.SYS_NAME_TO_HANDLE_AT: "name_to_handle_at",
	unix.SYS_OPEN_BY_HANDLE_AT: "open_by_handle_at",
	unix.SYS_SYSLOG:            "syslog",
}

// checkSignalTarget describes a signal to the sandbox's first process, which ignores it, or to one that this sandbox
// never had; "" for others. If pidEnd is not known, PIDs only grow: a PID above the newest one does not belong to the
// sandbox.
func (no *Notifier) checkSignalTarget(pid int) string {
	if pid == 1 {
		return "signal the first process of its sandbox"
	}
	if no.pidEnd == 0 {
		last, err := os.ReadFile("/proc/sys/kernel/ns_last_pid")
		if err != nil || unix.Kill(pid, 0) == nil {
			return ""
		}
		if n, err := strconv.Atoi(strings.TrimSpace(string(last))); err != nil || pid <= n {
			return ""
		}
	}
	return fmt.Sprintf("signal process %d, which is not the goal's", pid)
}
