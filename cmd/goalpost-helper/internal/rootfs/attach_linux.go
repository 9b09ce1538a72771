package rootfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// emptyFilesDir is a folder of the new root with the files that are mounted over others. No program can write there.
const emptyFilesDir = ".spare"

// attachAll performs the mounts in order.
func (rb *rootBuilder) attachAll(trees []int) error {
	for i, m := range rb.spec.Mounts {
		if err := rb.attachOne(m, trees[i]); err != nil {
			return err
		}
	}
	return nil
}

func (rb *rootBuilder) attachOne(m wire.Mount, tree int) error {
	target := string(m.Target)
	if m.IsLeftOut(rb.check) {
		return nil
	}
	switch m.Kind {
	case wire.MountBind:
		if tree < 0 {
			return nil
		}
		if rb.isOverlaid(m) {
			return os.NewSyscallError("close", unix.Close(tree))
		}
		var info unix.Stat_t
		if err := unix.Fstat(tree, &info); err != nil {
			return os.NewSyscallError("fstat", err)
		}
		rb.sockets.add(0, info)
		if err := rb.attachMount(tree, m, info.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
			if m.Itself { // older kernels cannot mount on links
				return nil
			}
			return err
		}
		if _, layered := rb.overlays[target]; !layered && rb.hasToolCaches(m) {
			return rb.maskToolCaches(m)
		}
		return rb.applyOverlay(target)
	case wire.MountText:
		return rb.text(target, m.Text)
	case wire.MountEmpty:
		return rb.mask(target, m.Optional)
	case wire.MountSymlink:
		return rb.link(target, string(m.Source))
	}
	return fmt.Errorf("unknown mount %q", m.Kind)
}

// isOverlaid reports whether an overlay provides a mount's protected files, so that the mount is skipped.
func (rb *rootBuilder) isOverlaid(m wire.Mount) bool {
	around := rb.mountOf(string(m.Target))
	if !m.Between || around == nil {
		return false
	}
	_, above := rb.overlays[string(around.Target)]
	return above
}

// text mounts a file with the given content over the target.
func (rb *rootBuilder) text(target string, content []byte) error {
	source, err := rb.makeEmpty(content)
	if err != nil {
		return err
	}
	at, err := rb.makeTarget(target, false)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	return rb.bindEmpty(wire.MountText, source, at, target)
}

func (rb *rootBuilder) makeEmpty(content []byte) (string, error) {
	rb.spare++
	source := filepath.Join(emptyFilesDir, strconv.Itoa(rb.spare))
	if err := os.WriteFile(source, content, 0o444); err != nil {
		return "", fmt.Errorf("writing: %w", err)
	}
	return source, nil
}

// bindEmpty binds an empty file or folder read-only at an opened mount point.
func (rb *rootBuilder) bindEmpty(kind wire.Kind, source string, at int, target string) error {
	tree, err := CloneTree(filepath.Join(stagingRoot, source))
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(tree) }()
	if err := RestrictTree(tree, false, false); err != nil {
		return err
	}
	if err := rb.attach(tree, at, wire.Mount{
		Kind:   kind,
		Source: []byte("/" + source),
		Target: []byte(target),
	}, 0); err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return nil
}

// mask mounts an empty file or folder over the target. It does not create the target, which a process outside may
// replace or remove at any time.
func (rb *rootBuilder) mask(target string, optional bool) error {
	for range maxRemountTries {
		at, err := unix.Openat2(rb.root, target[1:], &unix.OpenHow{
			Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
			Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
		})
		if optional && errors.Is(err, unix.ENOENT) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("hiding %s: %w", target, err)
		}
		err = rb.maskAt(at, target)
		_ = unix.Close(at)
		if !errors.Is(err, unix.ENOENT) { // otherwise it was removed in between
			return err
		}
	}
	return fmt.Errorf("hiding %s: another program replaces it repeatedly", target)
}

func (rb *rootBuilder) maskAt(at int, target string) error {
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	var source string
	var err error
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil // the link's target is handled separately
	case unix.S_IFDIR:
		rb.spare++
		source = filepath.Join(emptyFilesDir, strconv.Itoa(rb.spare))
		err = os.Mkdir(source, 0o555)
	default:
		source, err = rb.makeEmpty(nil)
	}
	if err != nil {
		return fmt.Errorf("hiding %s: %w", target, err)
	}
	return rb.bindEmpty(wire.MountEmpty, source, at, target)
}

func (rb *rootBuilder) link(target, source string) error {
	parent, err := rb.makeTarget(filepath.Dir(target)+"/.", true)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(parent) }()
	if err := unix.Symlinkat(source, parent, filepath.Base(target)); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%s: %w", target, os.NewSyscallError("symlinkat", err))
	}
	return nil
}

// Unreadable returns mounts that hide what an ordinary user cannot read below a folder, because root inside the
// sandbox could.
func Unreadable(folder string) []wire.Mount {
	var info unix.Stat_t
	if err := unix.Lstat(folder, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil
	}
	if !othersMayRead(info.Mode) {
		return []wire.Mount{hidingMount(folder)}
	}
	return unreadableIn(folder, nil)
}

// unreadableIn appends what is to be hidden in a folder. A sandbox waits for this, so files are asked for
// relative to it, and links, most of what is in /etc, are not asked for at all.
func unreadableIn(folder string, hidden []wire.Mount) []wire.Mount {
	dir, err := os.Open(folder)
	if err != nil {
		return hidden // its mode hides it
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(-1)
	at := int(dir.Fd())
	for _, entry := range entries {
		var info unix.Stat_t
		if entry.Type()&os.ModeSymlink != 0 ||
			unix.Fstatat(at, entry.Name(), &info, unix.AT_SYMLINK_NOFOLLOW) != nil { // it was removed
			continue
		}
		if !othersMayRead(info.Mode) {
			hidden = append(hidden, hidingMount(filepath.Join(folder, entry.Name())))
		} else if entry.IsDir() {
			hidden = unreadableIn(filepath.Join(folder, entry.Name()), hidden)
		}
	}
	return hidden
}

func othersMayRead(mode uint32) bool {
	need := uint32(0o004)
	if mode&unix.S_IFMT == unix.S_IFDIR {
		need = 0o005
	}
	return mode&need == need
}

func hidingMount(path string) wire.Mount {
	return wire.Mount{Kind: wire.MountEmpty, Target: []byte(path), Optional: true}
}
