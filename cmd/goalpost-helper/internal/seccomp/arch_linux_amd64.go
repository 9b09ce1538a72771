package seccomp

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// archEpermCalls are refused system calls that only this architecture has.
var archEpermCalls = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT,
	unix.SYS_SYSFS,
}

// mknodCalls are the calls that create device files, with the position of the mode argument.
var mknodCalls = map[uint32]uint32{unix.SYS_MKNODAT: atArg2, unix.SYS_MKNOD: atArg1}

// Calls that set a file's mode and exist only on this architecture.
var (
	archModeCalls = map[uint32]uint32{unix.SYS_CHMOD: atArg1, unix.SYS_CREAT: atArg1, unix.SYS_MKNOD: atArg1}
	archOpenCalls = map[uint32]uint32{unix.SYS_OPEN: atArg1}
)

// renameCalls are the rename system calls.
var renameCalls = map[uint32]renameArgs{
	unix.SYS_RENAME:    {-1, 0, -1, 1, -1},
	unix.SYS_RENAMEAT:  {0, 1, 2, 3, -1},
	unix.SYS_RENAMEAT2: {0, 1, 2, 3, 4},
}

// x32 is the bit that marks system calls of the x32 ABI.
const x32 = 0x40000000

// denyForeignABI refuses x32 calls, whose numbers the filter does not know.
func denyForeignABI(a *bpfProgram) {
	a.skipUnlessBits(x32, 1)
	a.ret(unix.SECCOMP_RET_KILL_PROCESS)
}
