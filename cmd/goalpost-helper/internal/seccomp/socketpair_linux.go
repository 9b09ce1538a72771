package seccomp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call on a datagram socket names its receiver in memory that no filter can read, so a pair of datagram sockets could
// reach those of other programs. Packet sockets (SOCK_SEQPACKET)
// keep messages apart in the same way and ignore such names. A program that asks for a pair
// gets one of these.

const socketTypeMask = 0xf // the type bits of the argument; the rest are flags

// addFD is the kernel's struct seccomp_notif_addfd.
type addFD struct {
	id         uint64
	flags      uint32
	srcfd      uint32
	newfd      uint32
	newfdFlags uint32
}

func isDatagramPair(n notice) bool {
	return n.nr == unix.SYS_SOCKETPAIR && uint32(n.args[0]) == unix.AF_UNIX &&
		uint32(n.args[1])&socketTypeMask == unix.SOCK_DGRAM && uint32(n.args[2]) == 0
}

// makeDatagramPair creates the pair for the caller and answers the call.
func (no *Notifier) makeDatagramPair(n notice) {
	answer := reply{id: n.id}
	if err := no.passPair(n); err != nil {
		answer.errno = -int32(errnoIn(err))
	}
	no.reply(answer)
}

func (no *Notifier) passPair(n notice) error {
	flags := int(uint32(n.args[1])) &^ socketTypeMask
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer func() { _ = errors.Join(unix.Close(pair[0]), unix.Close(pair[1])) }()
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", n.pid), os.O_WRONLY, 0)
	if err != nil || !no.isValid(n.id) {
		return errors.Join(err, unix.EFAULT)
	}
	defer func() { _ = mem.Close() }()
	place := int64(n.args[3]) //nolint:gosec // an address of another process
	numbers := make([]byte, 8)
	if _, err := mem.WriteAt(numbers, place); err != nil { // before the caller gets the descriptors
		return unix.EFAULT
	}
	for i, fd := range pair {
		add := addFD{id: n.id, srcfd: uint32(fd), newfdFlags: uint32(flags & unix.SOCK_CLOEXEC)}
		got, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(no.fd), unix.SECCOMP_IOCTL_NOTIF_ADDFD,
			uintptr(unsafe.Pointer(&add)))
		if errno != 0 {
			return os.NewSyscallError("SECCOMP_IOCTL_NOTIF_ADDFD", errno)
		}
		binary.NativeEndian.PutUint32(numbers[4*i:], uint32(got))
	}
	if _, err := mem.WriteAt(numbers, place); err != nil {
		return unix.EFAULT
	}
	return nil
}
