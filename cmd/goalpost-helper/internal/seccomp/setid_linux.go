package seccomp

import (
	"maps"

	"golang.org/x/sys/unix"
)

// A setuid or setgid file gives any user who starts it outside the rights of the user that the goal's programs run as.
const (
	setidBits       = unix.S_ISUID | unix.S_ISGID
	openCreateFlags = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY // flags with which open uses its mode
)

// chmodCalls are calls that give a file a mode, with the position of the mode. openCalls are calls that do so
// depending on their flags, with the position of the flags; the mode follows them.
var (
	chmodCalls = addArchCalls(map[uint32]uint32{
		unix.SYS_FCHMOD:    atArg1,
		unix.SYS_FCHMODAT:  atArg2,
		unix.SYS_FCHMODAT2: atArg2,
		unix.SYS_MKNODAT:   atArg2,
	}, archModeCalls)
	openCalls = addArchCalls(map[uint32]uint32{unix.SYS_OPENAT: atArg2}, archOpenCalls)
)

func addArchCalls(all, archCalls map[uint32]uint32) map[uint32]uint32 {
	maps.Copy(all, archCalls)
	return all
}

// denySetID refuses modes with one of the bits. It expects the number of the call in the
// accumulator, and leaves it there.
func (b *bpfProgram) denySetID(notAllowed uint32) {
	for n, at := range chmodCalls {
		b.skipUnless(n, 4)
		b.load(at)
		b.skipUnlessBits(setidBits, 1)
		b.ret(notAllowed)
		b.load(atNumber)
	}
	for n, at := range openCalls {
		b.skipUnless(n, 6)
		b.load(at)
		b.skipUnlessBits(openCreateFlags, 3)
		b.load(at + atArg1 - atArg0)
		b.skipUnlessBits(setidBits, 1)
		b.ret(notAllowed)
		b.load(atNumber)
	}
}

// isSetID reports whether an intercepted call sets one of the bits.
func isSetID(n notice) bool {
	arg := func(at uint32) uint32 { return uint32(n.args[(at-atArg0)/(atArg1-atArg0)]) }
	if at, ok := chmodCalls[uint32(n.nr)]; ok {
		return arg(at)&setidBits != 0
	}
	at, ok := openCalls[uint32(n.nr)]
	return ok && arg(at)&openCreateFlags != 0 && arg(at+atArg1-atArg0)&setidBits != 0
}
