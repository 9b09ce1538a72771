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
	// filter; what io_uring does, no filter sees.
	absent = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}
	// These get EPERM.
	denied = append([]uint32{
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
)

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
)

// assemble writes the filter. A system call that matches none of it is allowed.
func assemble() assembly {
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
	for _, n := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		a.sockets(n)
	}
	a.give(unix.SECCOMP_RET_ALLOW)
	return a
}

// sockets allows some families, and of netlink only what asks for addresses and
// routes.
func (a *assembly) sockets(number uint32) {
	var rest assembly
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

// filter puts the filter on this thread, which must not gain rights any more.
func filter() error {
	code := assemble()
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	return nil
}
