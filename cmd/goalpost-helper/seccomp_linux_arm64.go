package main

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// deniedHere are system calls that only this architecture has.
var deniedHere []uint32

// devicesBy are the calls that make a device, with the place of its mode.
var devicesBy = map[uint32]uint32{unix.SYS_MKNODAT: atArg2}

// Calls that give a file a mode, of this architecture alone.
var modedHere, openingHere map[uint32]uint32

// renames are the calls that rename.
var renames = map[uint32]rename{unix.SYS_RENAMEAT: {0, 1, 2, 3, -1}, unix.SYS_RENAMEAT2: {0, 1, 2, 3, 4}}

// foreign has nothing to refuse: 32-bit programs have an architecture of their own.
func foreign(*assembly) {}
