package rootfs

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// CloneTree returns a detached copy of a mount tree. No part of the path may be a link, because the agent can write
// in some of these folders.
func CloneTree(source string) (int, error) { return cloneTreeAt(source, 0) }

// CloneLink is CloneTree for a link itself.
func CloneLink(source string) (int, error) { return cloneTreeAt(source, unix.O_NOFOLLOW) }

func cloneTreeAt(source string, flags uint64) (int, error) {
	at, err := unix.Openat2(unix.AT_FDCWD, source, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return -1, fmt.Errorf("opening %s: %w", source, err)
	}
	defer func() { _ = unix.Close(at) }()
	tree, err := unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("cloning the mount of %s: %w", source, err)
	}
	return tree, nil
}

// RestrictTree sets mount attributes on a tree and everything below it.
func RestrictTree(tree int, write, devices bool) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !devices {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return os.NewSyscallError("mount_setattr", err)
	}
	return nil
}

// NewFilesystem returns a new, detached file system; options are KEY=VALUE or KEY.
func NewFilesystem(kind string, attrs int, options ...string) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("creating a %s: %w", kind, err)
	}
	defer func() { _ = unix.Close(fs) }()
	for _, option := range options {
		if key, value, ok := strings.Cut(option, "="); ok {
			err = unix.FsconfigSetString(fs, key, value)
		} else {
			err = unix.FsconfigSetFlag(fs, key)
		}
		if err != nil {
			return -1, fmt.Errorf("creating a %s: %s: %w", kind, option, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("creating a %s: %w", kind, err)
	}
	mount, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attrs)
	if err != nil {
		return -1, fmt.Errorf("mounting a %s: %w", kind, err)
	}
	return mount, nil
}

// moveMount attaches a tree at an opened mount point.
func moveMount(tree, place int) error {
	if err := unix.MoveMount(tree, "", place, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return os.NewSyscallError("move_mount", err)
	}
	return nil
}

// MountOverlay mounts an overlay of Upper over Lower, with paths of the machine.
func MountOverlay(c wire.Cache) error {
	mount, err := NewFilesystem("overlay", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV,
		"lowerdir="+escapeOverlayPath(string(c.Lower)), "upperdir="+string(c.Upper), "workdir="+string(c.Work), "userxattr")
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(mount) }()
	if err := unix.MoveMount(mount, "", unix.AT_FDCWD, string(c.Merged), unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return os.NewSyscallError("move_mount", err)
	}
	return nil
}

// escapeOverlayPath escapes a path for overlayfs's options.
func escapeOverlayPath(path string) string {
	return strings.NewReplacer("\\", "\\\\", ":", "\\:").Replace(path)
}

// MakeOwnedDirs creates folders owned by the user that the programs run as.
func MakeOwnedDirs(w wire.Spec, paths ...string) error {
	for _, path := range paths {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("creating a folder: %w", err)
		}
		if err := os.Chown(path, w.UID, w.GID); err != nil {
			return fmt.Errorf("changing the owner of a folder: %w", err)
		}
	}
	return nil
}
