package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"goalpost/backend/domain/policy"
	dirs "goalpost/backend/lib/folder"
	"goalpost/backend/lib/text"
)

// maxFile limits the size of a file that is read, in bytes.
const maxFile = 16 << 20

// folder is the goal's folder. All access goes through one os.Root, so no symlink leads out of it, not even one that a
// program swaps in.
type folder struct {
	root *os.Root
	dir  string

	protected map[string]string // the reasons, by path below dir
	// gitControlled are paths that control git; the goal's programs have copies of them.
	gitControlled []string
	hidden        []string
}

// isHidden reports whether a path below the root is in a hidden folder.
func (f folder) isHidden(rel string) bool {
	return slices.ContainsFunc(f.hidden, func(dir string) bool {
		return policy.IsWithin(dir, filepath.Join(f.dir, filepath.FromSlash(rel)))
	})
}

// refuseHidden returns an error for an opened file in a hidden folder, even if a link led to it.
func (f folder) refuseHidden(file *os.File, path string) error {
	if len(f.hidden) == 0 {
		return nil
	}
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	if err != nil {
		return fmt.Errorf("the location of %s cannot be determined, and this goal has files that only its checks may read",
			path)
	}
	if rel, err := filepath.Rel(f.dir, real); err == nil && f.isHidden(rel) {
		return fmt.Errorf("only the checks may read %s (--check-dir)", path)
	}
	return nil
}

// refuseHiddenPath is refuseHidden for a path below the root, whose folders may be links.
func (f folder) refuseHiddenPath(rel string) error {
	if len(f.hidden) == 0 {
		return nil
	}
	file, err := f.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil //nolint:nilerr // the caller gets the same error
	}
	return errors.Join(f.refuseHidden(file, rel), file.Close())
}

// relPath makes a path from the model relative to the root.
func (f folder) relPath(path string) (string, error) {
	if strings.TrimSpace(path) == "" {
		return "", errors.New("the path is empty; give one relative to your folder, such as notes/plan.md")
	}
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(f.dir, filepath.Clean(path))
		if err != nil || !filepath.IsLocal(rel) {
			return "", fmt.Errorf("%s is outside your folder %s", path, f.dir)
		}
		return rel, nil
	}
	if path = filepath.Clean(path); !filepath.IsLocal(path) {
		return "", fmt.Errorf("%s leads out of your folder %s", path, f.dir)
	}
	return path, nil
}

func (f folder) writeEffect(path string) (policy.Effect, error) {
	rel, err := f.relPath(path)
	if err != nil {
		return policy.Effect{}, err
	}
	return policy.Effect{Risk: policy.WriteLocal, Paths: []string{filepath.Join(f.dir, rel)}}, nil
}

// read returns the content of a regular file.
func (f folder) read(path string) ([]byte, error) {
	rel, err := f.relPath(path)
	if err != nil {
		return nil, err
	}
	// Checked after opening, because a program may put a pipe there in between, and opening a pipe without O_NONBLOCK
	// blocks.
	file, err := f.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist; list_files shows what does", path)
	case err != nil:
		return nil, text.StripPathError(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	hiddenErr := f.refuseHidden(file, path)
	switch {
	case err != nil:
		return nil, text.StripPathError(err)
	case hiddenErr != nil:
		return nil, hiddenErr
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; use list_files", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, too many to read at once; use run_command with head, tail or grep", path,
			info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(file, maxFile)) // the file may grow
	if err != nil {
		return nil, text.StripPathError(err)
	}
	return b, nil
}

// write replaces the whole content of a file, keeps its mode, and creates missing folders. It follows no link and does
// not write into .git.
func (f folder) write(path string, b []byte) error {
	rel, err := f.relPath(path)
	if err != nil {
		return err
	}
	if why, ok := f.protected[rel]; ok {
		return fmt.Errorf("%s is protected by the goal's check (%s) and cannot be changed. Make your work fit it. "+
			howToUnlock, path, why)
	}
	for _, path := range f.gitControlled {
		if policy.IsWithin(path, filepath.Join(f.dir, rel)) {
			return fmt.Errorf("git runs or reads %s automatically on the user's machine, so it cannot be written here; "+
				"change the goal's copy with a command, and the user is shown the difference at the end", rel)
		}
	}
	return dirs.Write(f.root, rel, b)
}
