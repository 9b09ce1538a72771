package seccomp

import (
	"golang.org/x/sys/unix"
)

// A program that is setuid or setgid is a way back for whoever starts it outside:
// with the rights of the user who the goal's programs run as.
const (
	setidBits       = unix.S_ISUID | unix.S_ISGID
	openCreateFlags = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY // flags of open with which its mode counts
)

// chmodCalls are calls that give a file a mode, with its place.
func chmodCalls() map[uint32]uint32 {
	list := map[uint32]uint32{
		unix.SYS_FCHMOD:    atArg1,
		unix.SYS_FCHMODAT:  atArg2,
		unix.SYS_FCHMODAT2: atArg2,
		unix.SYS_MKNODAT:   atArg2,
	}
	for n, at := range archModeCalls {
		list[n] = at
	}
	return list
}

// openCalls are calls that give a file a mode where their flags say so, with the
// place of the flags; the mode follows them.
func openCalls() map[uint32]uint32 {
	list := map[uint32]uint32{unix.SYS_OPENAT: atArg2}
	for n, at := range archOpenCalls {
		list[n] = at
	}
	return list
}

// denySetID refuses modes with one of the bits. The number of the call is loaded before
// and after.
func (a *bpfProgram) denySetID(notAllowed uint32) {
	for n, at := range chmodCalls() {
		a.skipUnless(n, 4)
		a.load(at)
		a.skipUnlessBits(setidBits, 1)
		a.ret(notAllowed)
		a.load(atNumber)
	}
	for n, at := range openCalls() {
		a.skipUnless(n, 6)
		a.load(at)
		a.skipUnlessBits(openCreateFlags, 3)
		a.load(at + atArg1 - atArg0)
		a.skipUnlessBits(setidBits, 1)
		a.ret(notAllowed)
		a.load(atNumber)
	}
}

var chmodArgs, openArgs = chmodCalls(), openCalls()

// isSetID reports whether an intercepted call is one of these.
func isSetID(n notice) bool {
	arg := func(at uint32) uint32 { return uint32(n.args[(at-atArg0)/(atArg1-atArg0)]) }
	if at, ok := chmodArgs[uint32(n.nr)]; ok {
		return arg(at)&setidBits != 0
	}
	at, ok := openArgs[uint32(n.nr)]
	return ok && arg(at)&openCreateFlags != 0 && arg(at+atArg1-atArg0)&setidBits != 0
}
