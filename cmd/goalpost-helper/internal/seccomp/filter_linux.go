// Package seccomp filters the system calls of a sandbox's programs, handles the notifications of refused and observed
// calls, and performs some connects and renames for the caller.
package seccomp

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The refused system calls: programs of a goal do not need them, and exploits have used them to escape.
var (
	// Callers fall back to an older call after ENOSYS. A filter cannot see clone3's flags, io_uring's operations, or
	// the mode in openat2's struct.
	enosysCalls = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_OPENAT2}
	// These get EPERM, and io_uring_setup ENOSYS, after the init was notified.
	epermCalls = append([]uint32{
		unix.SYS_IO_URING_SETUP,
		unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
		unix.SYS_DELETE_MODULE,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY,
		unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
		unix.SYS_CLOCK_ADJTIME, unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_FANOTIFY_INIT,
	}, archEpermCalls...)
	families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}
	// observedCalls are refused by other layers, silently. The init is notified so that it can report them, and the
	// kernel continues the call.
	observedCalls = []uint32{unix.SYS_CONNECT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME}
)

// otherProcessCalls change how another process runs; the value is the position of the pid argument. Programs run as
// the same user as their sandbox's init, so the kernel alone would permit them.
var otherProcessCalls = []struct{ number, at uint32 }{
	{unix.SYS_PRLIMIT64, atArg0},
	{unix.SYS_SCHED_SETAFFINITY, atArg0},
	{unix.SYS_SCHED_SETSCHEDULER, atArg0},
	{unix.SYS_SCHED_SETPARAM, atArg0},
	{unix.SYS_SCHED_SETATTR, atArg0},
	{unix.SYS_SETPRIORITY, atArg1},
	{unix.SYS_IOPRIO_SET, atArg1},
}

// newNamespaces are the clone flags that create namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets into struct seccomp_data. For arguments they are the offsets of the low half, because the kernel uses no
// more for flags, families and ioctl numbers.
const (
	atNumber = 0
	atArch   = 4
	atArg0   = 16
	atArg1   = 24
	atArg2   = 32
	atArg3   = 40
)

const (
	retENOSYS = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	retEPERM  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	retNotify = uint32(unix.SECCOMP_RET_USER_NOTIF) // the init answers
)

// FilterOptions configures a filter.
type FilterOptions struct {
	// PidEnd is the lowest number that no process of the sandbox gets; 0 if that is not known.
	PidEnd int
	// Traced adds the calls that a trace records. The tracer must be in another process, because this process could not
	// execute a program while its own calls wait for an answer from itself.
	Traced bool
}

// buildFilter builds the filter. It allows every system call that no rule matches. If notAllowed notifies the init, so
// do the observed calls.
func buildFilter(notAllowed uint32, o FilterOptions) bpfProgram {
	var a bpfProgram
	a.load(atArch)
	a.skipIf(auditArch, 1)
	a.ret(unix.SECCOMP_RET_KILL_PROCESS)
	a.load(atNumber)
	denyForeignABI(&a)
	for _, n := range enosysCalls {
		a.skipUnless(n, 1)
		a.ret(retENOSYS)
	}
	for _, n := range epermCalls {
		a.skipUnless(n, 1)
		a.ret(notAllowed)
	}
	a.skipUnless(unix.SYS_CLONE, 4)
	a.load(atArg0)
	a.skipUnlessBits(newNamespaces, 1)
	a.ret(notAllowed)
	a.ret(unix.SECCOMP_RET_ALLOW)
	a.skipUnless(unix.SYS_IOCTL, 6)
	a.load(atArg1)
	a.skipUnless(unix.TIOCSTI, 1)
	a.ret(notAllowed)
	a.skipUnless(unix.TIOCLINUX, 1)
	a.ret(notAllowed)
	a.ret(unix.SECCOMP_RET_ALLOW)
	a.denySetID(notAllowed)
	for _, of := range otherProcessCalls {
		a.skipUnless(of.number, 4)
		a.load(of.at)
		a.skipUnless(1, 1)
		a.ret(notAllowed)
		a.load(atNumber)
	}
	for _, n := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		a.restrictSockets(n, notAllowed)
	}
	if notAllowed == retNotify {
		a.notifyOn(o.PidEnd)
		if o.Traced {
			a.notifyOnTraced()
		}
	}
	a.ret(unix.SECCOMP_RET_ALLOW)
	return a
}

// notifyOn notifies the init of calls that another layer refuses.
func (b *bpfProgram) notifyOn(pidEnd int) {
	for _, n := range observedCalls {
		b.skipUnless(n, 1)
		b.ret(retNotify)
	}
	for n := range renameCalls {
		b.skipUnless(n, 1)
		b.ret(retNotify)
	}
	// The init is notified of a kill of itself, and of a single process outside the sandbox: 0 and negative values mean
	// groups. Any other kill passes, because a program with a handler for SIGCHLD could be interrupted while it waits for
	// the init.
	b.skipUnless(unix.SYS_KILL, 6)
	b.load(atArg0)
	b.skipIf(1, 2)
	*b = append(*b,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 2, K: uint32(max(1, pidEnd))},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, K: 1 << 31},
	)
	b.ret(retNotify)
	b.ret(unix.SECCOMP_RET_ALLOW)
	for n, at := range mknodCalls {
		b.skipUnless(n, 6)
		b.load(at)
		b.keepBits(unix.S_IFMT)
		b.skipIf(unix.S_IFCHR, 1)
		b.skipUnless(unix.S_IFBLK, 1)
		b.ret(retNotify)
		b.ret(unix.SECCOMP_RET_ALLOW)
	}
}

// restrictSockets allows some socket families, and of netlink only NETLINK_ROUTE. It refuses raw sockets, so that the
// init is notified.
func (b *bpfProgram) restrictSockets(number, notAllowed uint32) {
	var rest bpfProgram
	rest.load(atArg1)
	rest.keepBits(socketTypeMask)
	rest.skipIf(unix.SOCK_RAW, 1)
	rest.skipUnless(unix.SOCK_PACKET, 3)
	rest.load(atArg0)
	rest.skipIf(unix.AF_NETLINK, 1) // netlink sockets are all of type SOCK_RAW or SOCK_DGRAM
	rest.ret(notAllowed)
	// sendto names a datagram's receiver in memory that a filter cannot read.
	rest.load(atArg1)
	rest.keepBits(socketTypeMask)
	rest.skipUnless(unix.SOCK_DGRAM, 3)
	rest.load(atArg0)
	rest.skipUnless(unix.AF_UNIX, 1)
	rest.ret(notAllowed)
	rest.load(atArg0)
	for _, family := range families {
		rest.skipUnless(family, 1)
		rest.ret(unix.SECCOMP_RET_ALLOW)
	}
	rest.skipUnless(unix.AF_NETLINK, 3)
	rest.load(atArg2)
	rest.skipUnless(unix.NETLINK_ROUTE, 1)
	rest.ret(unix.SECCOMP_RET_ALLOW)
	rest.ret(notAllowed)
	b.skipUnless(number, uint8(len(rest)))
	*b = append(*b, rest...)
}

// InstallFilter installs the filter on this thread and thereby on every program that it starts. listener receives the
// notifications; it is -1, with an error, if there can be none because a parent process already listens.
func InstallFilter(o FilterOptions) (listener int, silent, err error) {
	code := buildFilter(retNotify, o)
	fd, errno := loadFilter(code, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errno == 0 {
		return fd, nil, nil
	}
	if _, failed := loadFilter(buildFilter(retEPERM, FilterOptions{}), 0); failed != 0 {
		return -1, nil, os.NewSyscallError("seccomp", failed)
	}
	return -1, os.NewSyscallError("seccomp", errno), nil
}

func loadFilter(code bpfProgram, flags uintptr) (int, unix.Errno) {
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&program)))
	return int(fd), errno
}
