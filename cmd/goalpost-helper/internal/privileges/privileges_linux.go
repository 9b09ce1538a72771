// Package privileges permanently drops the privileges of one thread.
package privileges

import (
	"os"

	"golang.org/x/sys/unix"
)

// rootCapabilities are the capability bits that programs of a root goal keep, for its own files.
const rootCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_SETUID |
	1<<unix.CAP_SETGID

// Drop becomes the user that programs run as and drops all capabilities; root keeps those over files, within the
// goal's user namespace.
func Drop(uid, gid int) error {
	var keep uint32
	if uid == 0 {
		keep = rootCapabilities
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return os.NewSyscallError("clearing ambient capabilities", err)
	}
	if os.Getuid() == 0 { // other users cannot, and gain nothing
		for bit := 0; bit < 64; bit++ {
			if bit < 32 && keep&(1<<bit) != 0 {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(bit), 0, 0, 0); err != nil {
				break // past the kernel's last capability
			}
		}
		// Raw calls affect this thread only, unlike those of package syscall.
		if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
			return os.NewSyscallError("setgroups", errno)
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)); errno != 0 {
			return os.NewSyscallError("setresgid", errno)
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
			return os.NewSyscallError("setresuid", errno)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{{Effective: keep, Permitted: keep, Inheritable: 0}}
	return os.NewSyscallError("capset", unix.Capset(&header, &data[0]))
}
