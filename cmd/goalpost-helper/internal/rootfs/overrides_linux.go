package rootfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// The agent can rename a folder above a protected file while a check runs, and a bind mount moves with its folder. The
// protected files are therefore in an overlay layer above the goal's folder, in which a path is looked up first,
// whatever the folders below are called. A third layer receives what the check writes, and is removed with the
// sandbox. The files are also bound read-only over themselves, so that the check cannot write them either.

// folderOverlay is the overlay of one folder of the goal: its layers and its protected files.
type folderOverlay struct {
	overlay int
	files   map[string]int // trees by path
}

// prepareOverrides copies the protected files and creates the layers, keyed by the target of their folder.
func (rb *rootBuilder) prepareOverrides(overrides []wire.FileOverride) error {
	byFolder := map[string][]wire.FileOverride{}
	for _, h := range overrides {
		m := rb.mountOf(string(h.Path))
		if m == nil {
			return fmt.Errorf("%s is not in a folder of the goal", h.Path)
		}
		byFolder[string(m.Target)] = append(byFolder[string(m.Target)], h)
	}
	for _, m := range rb.spec.Mounts {
		if _, isKnown := byFolder[string(m.Target)]; rb.check && m.Discard && !isKnown {
			byFolder[string(m.Target)] = nil
		}
	}
	rb.overlays = map[string]folderOverlay{}
	for target, files := range byFolder {
		u, err := rb.prepareOverlay(*rb.mountOf(target + "/."), files)
		if err != nil {
			return err
		}
		rb.overlays[target] = u
	}
	return nil
}

func (rb *rootBuilder) prepareOverlay(m wire.Mount, overrides []wire.FileOverride) (folderOverlay, error) {
	u := folderOverlay{files: map[string]int{}}
	base := filepath.Join(string(rb.spec.Scratch), fmt.Sprintf("held-%d", len(rb.overlays)))
	above, upper, work := filepath.Join(base, "above"), filepath.Join(base, "upper"), filepath.Join(base, "work")
	if err := MakeOwnedDirs(rb.spec, base, above, upper, work); err != nil {
		return u, err
	}
	for _, h := range overrides {
		path, err := rb.placeAbove(above, strings.TrimPrefix(string(h.Path), string(m.Target)))
		if err != nil {
			return u, err
		}
		if len(h.Copy) == 0 {
			if err := unix.Mknod(path, unix.S_IFCHR, 0); err != nil { // overlayfs hides the file below it
				return u, fmt.Errorf("hiding %s: %w", h.Path, os.NewSyscallError("mknod", err))
			}
			continue
		}
		if err := rb.copyFile(string(h.Copy), path); err != nil {
			return u, err
		}
		tree, err := CloneTree(path)
		if err == nil {
			err = RestrictTree(tree, false, false)
		}
		if err != nil {
			return u, err
		}
		u.files[string(h.Path)] = tree
	}
	if rb.hasToolCaches(m) {
		if err := rb.hideToolCachesIn(above, string(m.Source)); err != nil {
			return u, err
		}
	}
	var root unix.Stat_t // the upper layer's root must have the folder's owner and mode
	if err := unix.Stat(string(m.Source), &root); err != nil {
		return u, fmt.Errorf("%s: %w", m.Source, err)
	}
	for _, path := range []string{above, upper} {
		if err := os.Chmod(path, os.FileMode(root.Mode).Perm()); err != nil {
			return u, err //nolint:wrapcheck // it says chmod and the path
		}
	}
	attrs := unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	if !m.Writable(rb.check) {
		attrs |= unix.MOUNT_ATTR_RDONLY
	}
	var err error
	u.overlay, err = NewFilesystem("overlay", attrs, "lowerdir="+escapeOverlayPath(above)+":"+
		escapeOverlayPath(string(m.Source)), "upperdir="+upper, "workdir="+work, "userxattr")
	return u, err
}

// mountOf returns the mount that contains a path.
func (rb *rootBuilder) mountOf(path string) *wire.Mount {
	var best *wire.Mount
	for i, m := range rb.spec.Mounts {
		if m.Kind != wire.MountBind || m.Between || m.Itself || m.IsLeftOut(rb.check) {
			continue
		}
		if strings.HasPrefix(path, string(m.Target)+"/") &&
			(best == nil || len(m.Target) > len(best.Target)) {
			best = &rb.spec.Mounts[i]
		}
	}
	return best
}

// placeAbove returns a path in a layer, and creates the folders above it.
func (rb *rootBuilder) placeAbove(above, rest string) (string, error) {
	path := filepath.Join(above, rest)
	if !strings.HasPrefix(path, above+"/") {
		return "", fmt.Errorf("%s leads out of its folder", rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // it shines through to the goal's folder
		return "", err //nolint:wrapcheck // it says mkdir and the path
	}
	for at := filepath.Dir(path); at != above; at = filepath.Dir(at) {
		if err := rb.chown(at); err != nil {
			return "", err
		}
	}
	return path, nil
}

// copyFile copies a protected file into its layer, with its mode without write permission.
func (rb *rootBuilder) copyFile(source, path string) (err error) {
	in, err := os.Open(source)
	if err != nil {
		return err //nolint:wrapcheck // it says open and the path
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err //nolint:wrapcheck // it says stat and the path
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", source)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err //nolint:wrapcheck // it says open and the path
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(info.Mode().Perm()&^0o222|0o444), out.Close(), rb.chown(path))
}

// applyOverlay mounts a folder's overlay, if it has one.
func (rb *rootBuilder) applyOverlay(target string) error {
	u, ok := rb.overlays[target]
	if !ok {
		return nil
	}
	if err := rb.attachFinal(u.overlay, target, true); err != nil {
		return err
	}
	for path, tree := range u.files {
		if err := rb.attachFinal(tree, path, false); err != nil {
			return err
		}
	}
	return nil
}
