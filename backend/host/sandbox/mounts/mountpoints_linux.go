package mounts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// makeMountPoints creates the mount points in the private home, in /tmp and in an outline, because the helper cannot
// where these are read-only. An earlier run may have left links there; os.Root does not follow them out.
func (mp *mountPlanner) makeMountPoints() error {
	errs := []error{mp.makeMountPointsIn("home", mp.w.Home)}
	for _, name := range wire.TmpNames {
		errs = append(errs, mp.makeMountPointsIn("tmp", name))
	}
	if mp.w.Repository != nil {
		errs = append(errs, mp.makeMountPointsIn(outlineDir, mp.w.Repository.Top))
	}
	return errors.Join(errs...)
}

func (mp *mountPlanner) makeMountPointsIn(layer, target string) error {
	root, err := os.OpenRoot(mp.privatePath(layer))
	if err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	for _, m := range mp.out.Mounts {
		if !spec.IsBelow(string(m.Target), target) || string(m.Target) == target || m.Kind == wire.MountSymlink {
			continue
		}
		if err = mp.makeMountPoint(root, strings.TrimPrefix(string(m.Target), target+"/"), m); err != nil {
			break
		}
	}
	return errors.Join(err, root.Close())
}

func (mp *mountPlanner) makeMountPoint(root *os.Root, name string, m wire.Mount) error {
	folder := true
	if m.Kind == wire.MountText {
		folder = false
	} else if info, err := os.Stat(string(m.Source)); err == nil {
		folder = info.IsDir()
	}
	missing := name // the topmost folder created, whose owner is changed below
	for at := name; at != "."; at = filepath.Dir(at) {
		if _, err := root.Lstat(at); err == nil {
			break
		}
		missing = at
	}
	parent := name
	if !folder {
		parent = filepath.Dir(name)
	}
	if err := root.MkdirAll(parent, 0o755); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	if _, err := root.Lstat(name); err != nil && !folder {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o644)
		if err != nil {
			return err //nolint:wrapcheck // plan wraps it
		}
		_ = f.Close()
	}
	if os.Getuid() != 0 {
		return nil
	}
	for at := name; ; at = filepath.Dir(at) {
		if err := root.Lchown(at, mp.out.UID, mp.out.GID); err != nil {
			return err //nolint:wrapcheck // plan wraps it
		}
		if at == missing || at == "." {
			return nil
		}
	}
}
