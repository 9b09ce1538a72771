package main

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archAllowedSyscalls are system calls that only this architecture has.
var archAllowedSyscalls []uint32
