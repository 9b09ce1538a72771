package seccomp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
	"goalpost/cmd/goalpost-helper/internal/unixdiag"
)

// handleConnect connects for the caller, with a copy of the caller's socket and of the address. If the kernel continued
// the call instead, another thread of the caller could replace the address or the socket after the check. It waits
// until the connection is made.
func (no *Notifier) handleConnect(n notice, address []byte) {
	r := reply{id: n.id}
	if errno := no.connectAs(n, address); errno != 0 {
		r.errno = -int32(errno)
	}
	no.reply(r)
}

func (no *Notifier) connectAs(n notice, address []byte) unix.Errno {
	if n.args[2] > maxAddress {
		return unix.EINVAL
	}
	fd, errno := dupFD(n.pid, int(int32(uint32(n.args[0]))))
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(fd) }()
	if !no.isValid(n.id) { // the number may belong to another process
		return unix.EINTR
	}
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	switch {
	case err != nil:
		return errnoIn(err)
	case uint64(len(address)) < n.args[2]:
		return unix.EFAULT
	case domain == unix.AF_UNIX:
		return no.connectUnix(n, fd, address)
	}
	return connectTo(fd, address)
}

// dupFD returns a copy of a caller's descriptor.
func dupFD(pid uint32, fd int) (int, unix.Errno) {
	const thread = unix.O_EXCL // PIDFD_THREAD, from Linux 6.9 on
	of, err := unix.PidfdOpen(int(pid), thread)
	if errors.Is(err, unix.EINVAL) {
		of, err = unix.PidfdOpen(filetrace.ThreadGroup(pid), 0)
	}
	if err != nil {
		return -1, unix.EACCES
	}
	defer func() { _ = unix.Close(of) }()
	duplicate, err := unix.PidfdGetfd(of, fd, 0)
	if errors.Is(err, unix.EPERM) {
		return -1, unix.EACCES
	}
	return duplicate, errnoIn(err)
}

func errnoIn(err error) unix.Errno {
	var errno unix.Errno
	if err != nil && !errors.As(err, &errno) {
		return unix.EACCES
	}
	return errno
}

func connectTo(fd int, address []byte) unix.Errno {
	var at unsafe.Pointer
	if len(address) > 0 {
		at = unsafe.Pointer(&address[0])
	}
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(at), uintptr(len(address)))
	return errno
}

// connectUnix connects a Unix socket as the program's user, which is the user that the server sees.
func (no *Notifier) connectUnix(n notice, fd int, address []byte) (errno unix.Errno) {
	from, path := unix.AT_FDCWD, ""
	if len(address) > 2 && binary.NativeEndian.Uint16(address) == unix.AF_UNIX && address[2] != 0 {
		name, _, _ := bytes.Cut(address[2:], []byte{0})
		if path = string(name); path[0] != '/' {
			cwd, err := unix.Open(fmt.Sprintf("/proc/%d/cwd", n.pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				return errnoIn(err)
			}
			defer func() { _ = unix.Close(cwd) }()
			from = cwd
		}
	}
	err := no.asUser.runCall(func() {
		if path == "" { // abstract names belong to the goal's own network namespace
			errno = connectTo(fd, address)
		} else {
			errno = no.connectToPath(n, fd, from, path)
		}
	})
	if err != nil {
		return unix.EACCES
	}
	return errno
}

// connectToPath connects to the socket at a path, which may be relative to the folder from.
func (no *Notifier) connectToPath(n notice, fd, from int, path string) unix.Errno {
	at, err := unix.Openat2(from, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return errnoIn(err)
	}
	defer func() { _ = unix.Close(at) }()
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return errnoIn(err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return unix.ECONNREFUSED
	}
	if !no.sockets.IsGranted(info.Dev, info.Ino) && !unixdiag.IsBoundInNamespace(at, info) {
		no.count(wire.Violation{
			Program: processName(n.pid),
			Text:    fmt.Sprintf("speak to the socket %q, which is not the goal's", path),
		})
		return unix.EACCES
	}
	var to unix.RawSockaddrUnix
	to.Family = unix.AF_UNIX
	link := "/proc/self/fd/" + strconv.Itoa(at) // exactly the file that was checked
	for i := range len(link) {
		to.Path[i] = int8(link[i])
	}
	size := int(unsafe.Offsetof(to.Path)) + len(link) + 1
	return connectTo(fd, unsafe.Slice((*byte)(unsafe.Pointer(&to)), size))
}
