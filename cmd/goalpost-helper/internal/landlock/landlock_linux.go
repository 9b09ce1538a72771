// Package landlock builds the Landlock rules for the programs of a sandbox.
package landlock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// Landlock is the second layer, behind the mounts: it grants the same access, and still protects if a mount is undone
// or a path bypasses it. No documented property needs more than version 2.
const (
	landlockLeast = 2

	landlockRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockWrite = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landlockSocket = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// handledRights returns the rights that exist in a version; Landlock denies them all unless a rule grants them.
func handledRights(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_REFER)<<1 - 1
	if version >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// NewRuleset builds the rules of a sandbox; each program applies them to itself. devices are names in /dev,
// runtimeDir is the folder below /run that programs may write.
func NewRuleset(w wire.Spec, check bool, devices []string, runtimeDir string) (rules int, err error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return -1, fmt.Errorf("this kernel has none, or it is switched off: %w", errno)
	}
	if version < landlockLeast {
		return -1, fmt.Errorf("this kernel has version %d and %d is needed (Linux 5.19)", version, landlockLeast)
	}
	attr := struct{ fs uint64 }{handledRights(int(version))}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	grant := func(path string, rights uint64) {
		if err == nil {
			err = addRule(int(fd), path, rights&attr.fs)
		}
	}
	grant("/", landlockRead)
	for _, path := range devices {
		grant("/dev/"+path, landlockSocket)
	}
	grant("/dev/pts", landlockSocket)
	grant("/dev/shm", attr.fs)
	grant(runtimeDir, attr.fs)
	if check || w.TmpWrite {
		for _, path := range wire.TmpNames {
			grant(path, attr.fs)
		}
	}
	for _, m := range w.Mounts {
		if m.Kind == wire.MountBind && !m.IsLeftOut(check) && m.Writable(check) {
			grant(string(m.Target), attr.fs)
		}
	}
	return int(fd), err
}

// addRule grants rights below a path, reduced to those that apply to files if it is one. A missing path (an optional
// mount) needs no rule.
func addRule(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := addRuleAt(rules, fd, rights); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// GrantTree lets programs started from now on write a tree. Rules cannot be removed, which is harmless once the tree
// is unmounted.
func GrantTree(rules, tree int) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	return addRuleAt(rules, tree, handledRights(int(version)))
}

func addRuleAt(rules, fd int, rights uint64) error {
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landlockWrite
	}
	// The kernel's struct is packed to twelve bytes.
	var beneath [12]byte
	*(*uint64)(unsafe.Pointer(&beneath[0])) = rights
	*(*int32)(unsafe.Pointer(&beneath[8])) = int32(fd)
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// RestrictSelf applies the rules to this thread.
func RestrictSelf(rules int) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}
