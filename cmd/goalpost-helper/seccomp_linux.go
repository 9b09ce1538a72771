package main

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the last wall refuses. The lists are system calls that programs of a goal
// have no use for and through which others have got out before.
var (
	// Their callers try an older call after ENOSYS. clone3 hides its flags from a
	// filter, and every thread's start tries it; what io_uring does, no filter sees,
	// and the mode that openat2 gives a file lies behind a pointer.
	absent = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_OPENAT2}
	// These get EPERM, and io_uring_setup ENOSYS, after the init has heard of them.
	denied = append([]uint32{
		unix.SYS_IO_URING_SETUP,
		unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
		unix.SYS_CLOCK_ADJTIME, unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_FANOTIFY_INIT,
	}, deniedHere...)
	families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}
	// watched are no business of this wall: others refuse what leads out by them,
	// and do so silently. The init looks, and the kernel goes on.
	watched = []uint32{unix.SYS_CONNECT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME}
)

// ofAnother change how another process runs, with the place of its number. Programs have
// the user of their room's first process, which is all that the kernel asks for.
var ofAnother = []struct{ number, at uint32 }{
	{unix.SYS_PRLIMIT64, atArg0},
	{unix.SYS_SCHED_SETAFFINITY, atArg0},
	{unix.SYS_SCHED_SETSCHEDULER, atArg0},
	{unix.SYS_SCHED_SETPARAM, atArg0},
	{unix.SYS_SCHED_SETATTR, atArg0},
	{unix.SYS_SETPRIORITY, atArg1},
	{unix.SYS_IOPRIO_SET, atArg1},
}

// newNamespaces are the flags of clone that make one.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets into struct seccomp_data; of an argument the low half, which is all
// that the kernel looks at in flags, families and ioctl numbers.
const (
	atNumber = 0
	atArch   = 4
	atArg0   = 16
	atArg1   = 24
	atArg2   = 32
	atArg3   = 40
)

// assembly is a BPF program in the making.
type assembly []unix.SockFilter

func (a *assembly) load(offset uint32) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (a *assembly) give(verdict uint32) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict})
}

// unless skips the next n instructions unless the word is k.
func (a *assembly) unless(k uint32, n uint8) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k})
}

// when skips the next n instructions when the word is k.
func (a *assembly) when(k uint32, n uint8) {
	*a = append(*a, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: n, K: k})
}

const (
	notThere   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	notAllowed = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	heard      = uint32(unix.SECCOMP_RET_USER_NOTIF) // the init answers
)

// assemble writes the filter. A system call that matches none of it is allowed.
// notAllowed may be heard: then the calls that are watched are heard, too.
func assemble(notAllowed uint32) assembly {
	var a assembly
	a.load(atArch)
	a.when(auditArch, 1)
	a.give(unix.SECCOMP_RET_KILL_PROCESS)
	a.load(atNumber)
	foreign(&a)
	for _, n := range absent {
		a.unless(n, 1)
		a.give(notThere)
	}
	for _, n := range denied {
		a.unless(n, 1)
		a.give(notAllowed)
	}
	a.unless(unix.SYS_CLONE, 4)
	a.load(atArg0)
	a = append(a, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: newNamespaces})
	a.give(notAllowed)
	a.give(unix.SECCOMP_RET_ALLOW)
	a.unless(unix.SYS_IOCTL, 6)
	a.load(atArg1)
	a.unless(unix.TIOCSTI, 1)
	a.give(notAllowed)
	a.unless(unix.TIOCLINUX, 1)
	a.give(notAllowed)
	a.give(unix.SECCOMP_RET_ALLOW)
	a.setid(notAllowed)
	for _, of := range ofAnother {
		a.unless(of.number, 4)
		a.load(of.at)
		a.unless(1, 1)
		a.give(notAllowed)
		a.load(atNumber)
	}
	for _, n := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		a.sockets(n, notAllowed)
	}
	if notAllowed == heard {
		a.watch()
	}
	a.give(unix.SECCOMP_RET_ALLOW)
	return a
}

// watch lets the init hear of calls that something else than this filter refuses.
func (a *assembly) watch() {
	for _, n := range watched {
		a.unless(n, 1)
		a.give(heard)
	}
	for n := range renames {
		a.unless(n, 1)
		a.give(heard)
	}
	// kill of one process: 0 and what is negative mean others.
	a.unless(unix.SYS_KILL, 5)
	a.load(atArg0)
	a.when(0, 2)
	*a = append(*a, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jt: 1, K: 1 << 31})
	a.give(heard)
	a.give(unix.SECCOMP_RET_ALLOW)
	for n, at := range devicesBy {
		a.unless(n, 6)
		a.load(at)
		*a = append(*a, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: unix.S_IFMT})
		a.when(unix.S_IFCHR, 1)
		a.unless(unix.S_IFBLK, 1)
		a.give(heard)
		a.give(unix.SECCOMP_RET_ALLOW)
	}
}

// sockets allows some families, and of netlink only what asks for addresses and
// routes. Raw sockets are refused here, too, so that the init hears of them.
func (a *assembly) sockets(number, notAllowed uint32) {
	var rest assembly
	rest.load(atArg1)
	rest = append(rest, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf})
	rest.when(unix.SOCK_RAW, 1)
	rest.unless(unix.SOCK_PACKET, 3)
	rest.load(atArg0)
	rest.when(unix.AF_NETLINK, 1) // all of its sockets are raw by name
	rest.give(notAllowed)
	// A datagram names its receiver in each call, in memory that no filter sees.
	rest.load(atArg1)
	rest = append(rest, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf})
	rest.unless(unix.SOCK_DGRAM, 3)
	rest.load(atArg0)
	rest.unless(unix.AF_UNIX, 1)
	rest.give(notAllowed)
	rest.load(atArg0)
	for _, family := range families {
		rest.unless(family, 1)
		rest.give(unix.SECCOMP_RET_ALLOW)
	}
	rest.unless(unix.AF_NETLINK, 3)
	rest.load(atArg2)
	rest.unless(unix.NETLINK_ROUTE, 1)
	rest.give(unix.SECCOMP_RET_ALLOW)
	rest.give(notAllowed)
	a.unless(number, uint8(len(rest)))
	*a = append(*a, rest...)
}

// filter puts the filter on this thread, and so on every program that it starts
// from now on. listener is where the calls are heard; -1 with an error where
// there can be none (somebody above listens already), then nothing is heard.
func filter() (listener int, silent, err error) {
	code := assemble(heard)
	fd, errno := install(code, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errno == 0 {
		return fd, nil, nil
	}
	if _, failed := install(assemble(notAllowed), 0); failed != 0 {
		return -1, nil, os.NewSyscallError("seccomp", failed)
	}
	return -1, os.NewSyscallError("seccomp", errno), nil
}

func install(code assembly, flags uintptr) (int, unix.Errno) {
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	return int(fd), errno
}
