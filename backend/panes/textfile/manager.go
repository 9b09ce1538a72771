// Package textfile owns the panes that show a text file of the user's: it reads the file, tells its viewers when it
// changes on the disk, and saves what the user wrote.
package textfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
)

// Manager has the open files, by the id of their pane. All methods may be called concurrently.
type Manager struct {
	onChange func(info pane.Info, closed bool)

	mu    sync.Mutex
	files map[string]*File
	order []string // ids, in the order in which they were opened
}

// NewManager makes a manager that reports each change of a pane. onChange is never called concurrently for one pane.
func NewManager(onChange func(info pane.Info, closed bool)) *Manager {
	return &Manager{onChange: onChange, files: map[string]*File{}}
}

// Open shows a file in the pane with this id. The file may be missing: its pane then says so, and shows the file when
// it is there.
func (m *Manager) Open(id, path string) (*File, error) {
	if !filepath.IsAbs(path) {
		return nil, fault.Invalid("path", path+" is not an absolute path", "give the whole path")
	}
	f := &File{path: filepath.Clean(path)}
	f.real = realPath(f.path)
	f.watch = newWatch(f.path)
	f.info = pane.Info{ID: id, Kind: pane.TextFile, Title: filepath.Base(path), Path: f.path}
	m.mu.Lock()
	m.files[id], m.order = f, append(m.order, id)
	m.mu.Unlock()
	m.onChange(f.Info(), false)
	return f, nil
}

// Get returns the file of a pane.
func (m *Manager) Get(id string) (*File, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.files[id]
	return f, ok
}

// List returns the panes in the order in which they were opened.
func (m *Manager) List() []pane.Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]pane.Info, 0, len(m.order))
	for _, id := range m.order {
		list = append(list, m.files[id].Info())
	}
	return list
}

// Close closes a pane. Its file stays as it is saved.
func (m *Manager) Close(id string) error {
	m.mu.Lock()
	f, ok := m.files[id]
	if ok {
		delete(m.files, id)
		for i, have := range m.order {
			if have == id {
				m.order = append(m.order[:i:i], m.order[i+1:]...)
				break
			}
		}
	}
	m.mu.Unlock()
	if !ok {
		return fault.New(fault.NotFound, fmt.Sprintf("pane %q not found", id), "it may have been closed")
	}
	err := f.watch.close()
	m.onChange(f.Info(), true)
	return err
}

// CloseAll ends the watches of all files, when the program ends.
func (m *Manager) CloseAll() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all error
	for _, f := range m.files {
		all = errors.Join(all, f.watch.close())
	}
	return all
}

// describe explains why a file cannot be read or saved.
func describe(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Kind(fault.NotFound, "path", path+" does not exist", "it appears here when somebody makes it")
	case errors.Is(err, fs.ErrPermission):
		return fault.Kind(fault.Conflict, "path", "you may not read or change "+path, "change its permissions")
	case errors.Is(err, os.ErrInvalid):
		return fault.Invalid("path", path+" is not a file", "open a file")
	}
	return fmt.Errorf("%s: %w", filepath.Base(path), err)
}
