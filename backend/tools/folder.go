package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"goalpost/backend/policy"
)

// maxFile bounds what is read into memory, in bytes.
const maxFile = 16 << 20

// folder is the goal's folder. Everything goes through one os.Root: no symlink
// leads out of it, also while something swaps them.
type folder struct {
	root *os.Root
	dir  string
}

// local turns a path of the model into one relative to the root.
func (f folder) local(path string) (string, error) {
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

func (f folder) reads(_ context.Context) (policy.Effect, error) {
	return policy.Effect{Risk: policy.ReadOnly}, nil
}

func (f folder) writes(path string) (policy.Effect, error) {
	rel, err := f.local(path)
	if err != nil {
		return policy.Effect{}, err
	}
	return policy.Effect{Risk: policy.WriteLocal, Paths: []string{filepath.Join(f.dir, rel)}}, nil
}

// read gives the bytes of a regular file.
func (f folder) read(path string) ([]byte, error) {
	rel, err := f.local(path)
	if err != nil {
		return nil, err
	}
	// Opened first and looked at then: a program may put a pipe there in between, and the open of one waits for ever.
	file, err := f.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist; list_files shows what does", path)
	case err != nil:
		return nil, plain(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, plain(err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; use list_files", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes, too many to read at once; use run_command with head, tail or grep", path, info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(file, maxFile)) // it may be growing
	if err != nil {
		return nil, plain(err)
	}
	return b, nil
}

// write replaces a file whole, keeping its mode, and makes the folders above it.
func (f folder) write(path string, b []byte) error {
	rel, err := f.local(path)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := f.root.Stat(rel); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		mode = info.Mode().Perm()
	}
	if dir := filepath.Dir(rel); dir != "." {
		if err := f.root.MkdirAll(dir, 0o755); err != nil {
			return plain(err)
		}
	}
	file, err := f.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, mode)
	if err != nil {
		return plain(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil {
		_, err = file.Write(b)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return plain(err)
	}
	return nil
}

// plain leaves out the system call's name, which tells a model nothing.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
