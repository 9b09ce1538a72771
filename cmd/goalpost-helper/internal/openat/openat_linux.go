// Package openat opens paths with O_PATH, without opening the file itself.
package openat

import "golang.org/x/sys/unix"

// PathOnly opens a path with O_PATH; -1 if it does not exist.
func PathOnly(base int, path string, flags, resolve uint64) (int, unix.Statx_t) {
	var info unix.Statx_t
	fd, err := unix.Openat2(base, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: resolve})
	if err != nil {
		return -1, info
	}
	err = unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &info)
	if err != nil || info.Mask&unix.STATX_MNT_ID == 0 {
		_ = unix.Close(fd)
		return -1, info
	}
	return fd, info
}

// IsRegular reports whether info describes a regular file.
func IsRegular(info unix.Statx_t) bool { return info.Mode&unix.S_IFMT == unix.S_IFREG }

// IsMount reports whether info describes a mount point.
func IsMount(info unix.Statx_t) bool { return info.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 }
