// Package unixdiag queries the kernel for the Unix sockets of this network namespace.
package unixdiag

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Constants of the kernel's unix_diag that package unix lacks.
const (
	diagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	diagShowFile = 2  // UDIAG_SHOW_VFS
	diagFile     = 1  // UNIX_DIAG_VFS
	diagHeader   = 16 // the size of unix_diag_msg
)

// IsBoundInNamespace reports whether a socket of the goal's network namespace is bound to a file: then a program of
// the goal listens there, not one of the machine. If the kernel cannot tell, it returns false.
func IsBoundInNamespace(at int, info unix.Stat_t) (found bool) {
	dev, ok := deviceOf(at)
	if !ok {
		return false
	}
	visitSockets(diagShowFile, func(_, attributes []byte) (more bool) {
		order := binary.NativeEndian
		forEachAttribute(attributes, func(kind uint16, value []byte) {
			if kind == diagFile && len(value) >= 8 && order.Uint32(value) == uint32(info.Ino) && order.Uint32(value[4:]) == dev {
				found = true
			}
		})
		return !found
	})
	return found
}

// visitSockets calls each for every Unix socket of this network namespace until each returns false.
func visitSockets(show uint32, each func(message, attributes []byte) (more bool)) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	request := make([]byte, unix.NLMSG_HDRLEN+24)
	order := binary.NativeEndian
	order.PutUint32(request, uint32(len(request)))
	order.PutUint16(request[4:], diagByFamily)
	order.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	request[unix.NLMSG_HDRLEN] = unix.AF_UNIX
	order.PutUint32(request[unix.NLMSG_HDRLEN+4:], ^uint32(0)) // all states
	order.PutUint32(request[unix.NLMSG_HDRLEN+12:], show)
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return
	}
	answer := make([]byte, 64<<10)
	for more := true; more; {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err != nil || n == 0 {
			return
		}
		more = forEachSocket(answer[:n], each)
	}
}

// forEachSocket visits the sockets of one kernel response; false at the end.
func forEachSocket(b []byte, each func(message, attributes []byte) (more bool)) (more bool) {
	order := binary.NativeEndian
	for len(b) >= unix.NLMSG_HDRLEN {
		size := int(order.Uint32(b))
		if size < unix.NLMSG_HDRLEN+diagHeader || size > len(b) || order.Uint16(b[4:]) != diagByFamily {
			return false
		}
		if !each(b[unix.NLMSG_HDRLEN:size], b[unix.NLMSG_HDRLEN+diagHeader:size]) {
			return false
		}
		b = b[min(alignLength(size), len(b)):]
	}
	return len(b) == 0
}

func forEachAttribute(b []byte, each func(kind uint16, value []byte)) {
	order := binary.NativeEndian
	for len(b) >= 4 {
		length := int(order.Uint16(b))
		if length < 4 || length > len(b) {
			return
		}
		each(order.Uint16(b[2:]), b[4:length])
		b = b[min(alignLength(length), len(b)):]
	}
}

func alignLength(n int) int { return (n + 3) &^ 3 }

// deviceOf returns the kernel-internal device number of a file's file system; some file systems report another one to
// programs.
func deviceOf(at int) (uint32, bool) {
	var info unix.Statx_t
	if err := unix.Statx(at, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &info); err != nil ||
		info.Mask&unix.STATX_MNT_ID == 0 {
		return 0, false
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(mounts)) {
		var id uint64
		var parent, major, minor uint32
		if _, err := fmt.Sscanf(line, "%d %d %d:%d", &id, &parent, &major, &minor); err == nil && id == info.Mnt_id {
			return major<<20 | minor, true
		}
	}
	return 0, false
}
