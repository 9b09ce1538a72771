package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Limits of this process. The kernel enforces maxData. From maxHeap on the garbage collector works harder, so that only
// memory in use reaches maxData.
const (
	maxData       = 256 << 20 // bytes
	maxHeap       = 160 << 20 // bytes
	maxCPUSeconds = 1         // this program never waits
	maxPDFSeconds = 3         // for the pages of a PDF
	maxGoStack    = 32 << 20  // bytes
)

// allowedSyscalls are the system calls that the Go runtime makes once the program runs, on every architecture. The
// filter refuses all others, such as opening files, connecting and starting programs.
var allowedSyscalls = append([]uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FCNTL, unix.SYS_FSTAT, unix.SYS_LSEEK,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MPROTECT, unix.SYS_BRK, unix.SYS_MINCORE,
	unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY,
	unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN,
	unix.SYS_SIGALTSTACK,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_TGKILL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL,
	unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_PRCTL, unix.SYS_GETRANDOM,
	unix.SYS_UNAME,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_SETITIMER,
}, archAllowedSyscalls...)

// dropPrivileges gives up everything but computing for some seconds, permanently and for every thread.
func dropPrivileges(seconds int) error {
	debug.SetMemoryLimit(maxHeap)
	debug.SetMaxStack(maxGoStack)
	for _, l := range []struct {
		what, most int
		name       string
	}{
		{unix.RLIMIT_DATA, maxData, "memory"},
		{unix.RLIMIT_CPU, seconds, "time"},
		{unix.RLIMIT_FSIZE, 1 << 20, "output"},
		{unix.RLIMIT_CORE, 0, "core dumps"},
	} {
		most := uint64(l.most)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("bounding its %s: %w", l.name, err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up rights: %w", err)
	}
	return buildFilter()
}

// Offsets into struct seccomp_data.
const (
	atNumber = 0
	atArch   = 4
)

func buildFilter() error {
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atArch},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: auditArch},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atNumber},
	}
	for _, number := range allowedSyscalls {
		code = append(code,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: number},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// TSYNC: the runtime has started threads already.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("giving up system calls: %w", os.NewSyscallError("seccomp", errno))
	}
	return nil
}
