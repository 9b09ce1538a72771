package seccomp

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archEpermCalls are refused system calls that only this architecture has.
var archEpermCalls []uint32

// mknodCalls are the calls that create device files, with the position of the mode argument.
var mknodCalls = map[uint32]uint32{unix.SYS_MKNODAT: atArg2}

// Calls that set a file's mode and exist only on this architecture.
var archModeCalls, archOpenCalls map[uint32]uint32

// renameCalls are the rename system calls.
var renameCalls = map[uint32]renameArgs{unix.SYS_RENAMEAT: {0, 1, 2, 3, -1}, unix.SYS_RENAMEAT2: {0, 1, 2, 3, 4}}

// denyForeignABI does nothing: 32-bit calls have their own architecture number.
func denyForeignABI(*bpfProgram) {}
