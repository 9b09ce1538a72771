package main

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// archAllowedSyscalls are system calls that only this architecture has.
var archAllowedSyscalls = []uint32{unix.SYS_ARCH_PRCTL, unix.SYS_EPOLL_WAIT}
