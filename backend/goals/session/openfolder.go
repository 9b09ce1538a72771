package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"goalpost/backend/lib/text"
)

// openFolder is the folder that a session works in. It stays open, so that no other folder gets its inode number. The
// methods may be called concurrently.
type openFolder struct {
	path string
	file *os.File
	info fs.FileInfo
}

func openGoalFolder(path string) (*openFolder, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the goal's folder: %w", text.StripPathError(err)), f.Close())
	}
	return &openFolder{path: path, file: f, info: info}, nil
}

// problem returns why the path no longer leads to the folder: it was removed, moved or replaced, as by git worktree or
// a program that synchronizes folders.
func (of *openFolder) problem() error {
	if of == nil {
		return nil
	}
	is, err := os.Lstat(of.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its folder %s %s. Put it back and resume the goal, or abort the goal", of.path, of.whereNow())
	case err != nil:
		return fmt.Errorf("its folder %s cannot be read: %w", of.path, text.StripPathError(err))
	case !os.SameFile(of.info, is):
		return fmt.Errorf("another folder is at %s now; the one that it worked in %s, and what it wrote there is not in the "+
			"new one. Resume the goal to continue in the new folder, or abort it", of.path, of.whereNow())
	}
	return nil
}

// whereNow describes what happened to the folder.
func (of *openFolder) whereNow() string {
	at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", of.file.Fd()))
	if err != nil || at == of.path || strings.HasSuffix(at, " (deleted)") {
		return "was removed"
	}
	return "was moved to " + text.SanitizeLine(at, 300)
}

func (of *openFolder) close() error { return text.StripPathError(of.file.Close()) }
