package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// Tools trust the caches that they store beside the sources: Python can run a compiled file without reading its
// source, and a type checker repeats stored results. Files of the agent there would decide instead of the sources, so
// these folders are empty for a check. They are listed when the check's sandbox is built. A cache that is created
// later is visible, unless the check freezes the agent.

// toolCacheNames are the names of such folders. Tools rebuild their content.
var toolCacheNames = []string{"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}

// unlistedNames are folders that may be large and cannot influence a check.
var unlistedNames = []string{".git", "node_modules"}

// hasToolCaches reports whether a check hides the tool caches of a mount: the agent writes
// there, and the check sees what it wrote.
func (rb *rootBuilder) hasToolCaches(m wire.Mount) bool {
	return rb.check && m.Kind == wire.MountBind && m.Write && !m.Fresh && !m.Itself && !m.AgentOnly && !m.Between &&
		isShownInPlace(m) && filepath.Base(string(m.Target)) != ".git"
}

// listToolCaches lists the tool caches below a folder, by their paths in it. A link of such a name
// is among them.
func listToolCaches(folder string) (list []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // the check cannot read it either
		case slices.Contains(toolCacheNames, entry.Name()) && path != folder:
			if rel, err := filepath.Rel(folder, path); err == nil && !entry.Type().IsRegular() {
				list = append(list, rel)
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() && slices.Contains(unlistedNames, entry.Name()):
			return fs.SkipDir
		}
		return nil
	})
	return list
}

// hideToolCachesIn puts an opaque folder into a layer for each tool cache of the folder below
// it. In the overlay it is an ordinary folder that starts empty and can be removed.
func (rb *rootBuilder) hideToolCachesIn(layer, folder string) error {
	for _, rel := range listToolCaches(folder) {
		at := layer
		for _, name := range strings.Split(rel, "/") {
			at = filepath.Join(at, name)
			if err := rb.copyFolder(at, filepath.Join(folder, strings.TrimPrefix(at, layer))); err != nil {
				return err
			}
		}
		if err := unix.Setxattr(at, "user.overlay.opaque", []byte("y"), 0); err != nil {
			return fmt.Errorf("hiding %s: %w", rel, os.NewSyscallError("setxattr", err))
		}
	}
	return nil
}

// copyFolder creates a folder with the mode of another, unless it exists.
func (rb *rootBuilder) copyFolder(path, like string) error {
	mode := fs.FileMode(0o755)
	if info, err := os.Lstat(like); err == nil && info.IsDir() {
		mode = info.Mode().Perm()
	}
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return errors.Join(err, os.Chmod(path, mode), rb.chown(path))
}

// maskToolCaches mounts an empty folder over each tool cache of a mount without layers.
func (rb *rootBuilder) maskToolCaches(m wire.Mount) error {
	folder := string(m.Target)
	for _, rel := range listToolCaches(string(m.Source)) {
		target, err := filepath.EvalSymlinks(filepath.Join(folder, rel))
		if err != nil || !isWithin(target, folder) || target == folder {
			continue // a link to nothing that the agent writes
		}
		if err := rb.mask(target, true); err != nil {
			return err
		}
	}
	return nil
}
