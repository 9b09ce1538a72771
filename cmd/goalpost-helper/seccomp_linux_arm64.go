package main

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// deniedHere are system calls that only this architecture has.
var deniedHere []uint32

// foreign has nothing to refuse: 32-bit programs have an architecture of their own.
func foreign(*assembly) {}
