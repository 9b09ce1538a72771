package seccomp

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archEpermCalls are system calls that only this architecture has.
var archEpermCalls []uint32

// mknodCalls are the calls that make a device, with the place of its mode.
var mknodCalls = map[uint32]uint32{unix.SYS_MKNODAT: atArg2}

// Calls that give a file a mode, of this architecture alone.
var archModeCalls, archOpenCalls map[uint32]uint32

// renameCalls are the calls that rename.
var renameCalls = map[uint32]renameArgs{unix.SYS_RENAMEAT: {0, 1, 2, 3, -1}, unix.SYS_RENAMEAT2: {0, 1, 2, 3, 4}}

// denyForeignABI has nothing to refuse: 32-bit calls have their own architecture number.
func denyForeignABI(*bpfProgram) {}
