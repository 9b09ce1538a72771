package textfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"goalpost/backend/lib/fileio"
)

// Draft is what a user wrote in a pane and has not saved.
type Draft struct {
	Path string    `json:"path"` // of the pane's file
	Text string    `json:"text"`
	Base Version   `json:"base"` // of the content that the user changed
	At   time.Time `json:"at"`
}

// Drafts keeps the drafts of panes in a folder, where they outlive the program. All methods may be called concurrently.
type Drafts struct {
	dir string
	mu  sync.Mutex
}

// NewDrafts keeps drafts in a folder, which is made with the first one.
func NewDrafts(dir string) *Drafts { return &Drafts{dir: dir} }

const draftSuffix = ".json"

func (d *Drafts) file(pane string) string {
	return filepath.Join(d.dir, filepath.Base(pane)+draftSuffix)
}

// Keep replaces the draft of a pane.
func (d *Drafts) Keep(pane string, draft Draft) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return fmt.Errorf("keep what was not saved: %w", err)
	}
	return fileio.WriteJSON(d.file(pane), draft)
}

// Get returns the draft of a pane that shows this file; nil if there is none.
func (d *Drafts) Get(pane, path string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var draft Draft
	err := fileio.ReadJSON(d.file(pane), &draft)
	if errors.Is(err, fs.ErrNotExist) || err == nil && draft.Path != path {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &draft, nil
}

// Drop forgets the draft of a pane, if it has one.
func (d *Drafts) Drop(pane string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.Remove(d.file(pane)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was not saved: %w", err)
	}
	return nil
}

// Prune forgets the drafts of all panes that are not open.
func (d *Drafts) Prune(isOpen func(pane string) bool) error {
	list, err := os.ReadDir(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what was not saved: %w", err)
	}
	var all error
	for _, entry := range list {
		pane, isDraft := strings.CutSuffix(entry.Name(), draftSuffix)
		if !isDraft || !isOpen(pane) {
			all = errors.Join(all, os.Remove(filepath.Join(d.dir, entry.Name())))
		}
	}
	return all
}
