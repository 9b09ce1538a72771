package sandbox

import "golang.org/x/sys/unix"

// Landlock returns the version of Landlock in this kernel, 0 for none.
func Landlock() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}
