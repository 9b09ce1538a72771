package rootfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// rootBuilder builds the file system of one sandbox.
type rootBuilder struct {
	spec     wire.Spec
	check    bool
	root     int // the new root, attached
	spare    int // number of files in emptyFilesDir so far
	overlays map[string]folderOverlay
	sockets  *GrantedSockets // records the sockets that are mounted
	watch    *MountWatch
}

// attachMount attaches a tree for a mount of the spec.
func (rb *rootBuilder) attachMount(tree int, m wire.Mount, folder bool) error {
	defer func() { _ = unix.Close(tree) }()
	if err := rb.attachTree(tree, m, folder, 0); err != nil {
		return fmt.Errorf("%s: %w", m.Target, err)
	}
	return nil
}

// maxRemountTries bounds the retries when a process outside replaces a mount point during the mount.
const maxRemountTries = 1000

// attachTree attaches a tree for a mount. The caller owns the descriptor.
func (rb *rootBuilder) attachTree(tree int, m wire.Mount, folder bool, id uint64) error {
	for tries := 1; ; tries++ {
		at, err := rb.makeTarget(string(m.Target), folder)
		if err == nil {
			err = rb.attach(tree, at, m, id)
			_ = unix.Close(at)
		}
		if !errors.Is(err, unix.ENOENT) || tries == maxRemountTries {
			return err
		}
	}
}

// attachFinal attaches a tree at a target that no process outside can detach.
func (rb *rootBuilder) attachFinal(tree int, target string, folder bool) error {
	defer func() { _ = unix.Close(tree) }()
	at, err := rb.makeTarget(target, folder)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	if err := moveMount(tree, at); err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return nil
}

// makeTarget opens a target below the new root and creates it and its parent folders if missing. It opens one name at
// a time and follows no link: below a folder that the agent writes, any name may have become one.
func (rb *rootBuilder) makeTarget(target string, folder bool) (int, error) {
	at, err := unix.FcntlInt(uintptr(rb.root), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("fcntl", err)
	}
	names := strings.FieldsFunc(path.Clean(target), func(r rune) bool { return r == '/' })
	for i, name := range names {
		next, err := rb.step(at, name, folder || i < len(names)-1)
		_ = unix.Close(at)
		if err != nil {
			return -1, fmt.Errorf("%s: %w", "/"+path.Join(names[:i+1]...), err)
		}
		at = next
	}
	return at, nil
}

func (rb *rootBuilder) step(at int, name string, folder bool) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	}
	if folder {
		how.Flags |= unix.O_DIRECTORY
	}
	fd, err := unix.Openat2(at, name, &how)
	if !errors.Is(err, unix.ENOENT) {
		return fd, err //nolint:wrapcheck // place says which path
	}
	if folder {
		err = unix.Mkdirat(at, name, 0o755)
	} else {
		err = unix.Mknodat(at, name, unix.S_IFREG|0o644, 0)
	}
	if err == nil && os.Getuid() == 0 {
		err = unix.Fchownat(at, name, rb.spec.UID, rb.spec.GID, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err //nolint:wrapcheck // see above
	}
	return unix.Openat2(at, name, &how) //nolint:wrapcheck // see above
}

// isShownInPlace reports whether a mount shows a path of the machine under the same path.
func isShownInPlace(m wire.Mount) bool { return bytes.Equal(m.Source, m.Target) }

// isWithin reports whether a path is a folder or below it.
func isWithin(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// isNotExist reports whether an error means that a path does not exist, including a file or link in place of a parent
// folder.
func isNotExist(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// chown gives a path to the user that the programs run as; only needed as root.
func (rb *rootBuilder) chown(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, rb.spec.UID, rb.spec.GID) //nolint:wrapcheck // build wraps it
}
