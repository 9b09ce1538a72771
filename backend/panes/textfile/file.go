package textfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

// MaxBytes is the size of the largest file that a pane shows.
const MaxBytes = 64 << 20

// Version identifies a content of a file; "" is that of a file that is not there.
type Version string

// Content is what a file holds at one moment.
type Content struct {
	Text    []byte // UTF-8; nil if the file cannot be shown
	Version Version
	// Problem says why there is no text, in words for the user.
	Problem string
	// IsReadOnly: the user may not write the file.
	IsReadOnly bool
	// Target is where the file really is, if a symbolic link leads there; "" otherwise.
	Target string
}

// File is a file that a pane shows. All methods may be called concurrently.
type File struct {
	path  string
	real  string // where the path led to when the file was opened
	watch *watch

	saving sync.RWMutex // one save at a time, which nobody reads half-written

	mu   sync.Mutex
	info pane.Info
}

// Info returns the pane as lists show it.
func (f *File) Info() pane.Info {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.info
}

// Read returns what the file holds now. What cannot be shown is a Problem of the content.
func (f *File) Read() Content {
	f.saving.RLock()
	defer f.saving.RUnlock()
	c := Content{}
	if target, err := filepath.EvalSymlinks(f.path); err == nil && target != f.path {
		c.Target = target
	}
	b, err := readFile(f.path)
	if err != nil {
		c.Problem = fault.Of(describe(f.path, err)).Message
		if !errors.Is(err, os.ErrNotExist) {
			c.Version = "unreadable" // a save must not replace what nobody saw
		}
		return c
	}
	c.Version = Version(fileio.Hash(b))
	if !fileio.IsText(b) {
		c.Problem = filepath.Base(f.path) + " is not UTF-8 text, so it is not shown"
		return c
	}
	c.Text = b
	c.IsReadOnly = syscall.Access(f.path, 2) != nil // W_OK
	return c
}

// realPath follows all links of a path, as far as it exists.
func realPath(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// readFile reads a regular file. Like fileio.Open, it never waits for a pipe.
func readFile(path string) ([]byte, error) {
	h, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err //nolint:wrapcheck // describe adds the context
	}
	defer func() { _ = h.Close() }()
	info, err := h.Stat()
	if err != nil {
		return nil, err //nolint:wrapcheck // describe adds the context
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("%w (%d MB, and at most %d are shown)", fileio.ErrTooLong, info.Size()>>20, MaxBytes>>20)
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+1))
	if _, err := b.ReadFrom(io.LimitReader(h, MaxBytes)); err != nil { // it may be growing
		return nil, fmt.Errorf("read: %w", err)
	}
	return b.Bytes(), nil
}

// Save writes the text to the file if it still holds the content of this version, and returns the version of the new
// one. A file that somebody else changed is left as it is, with a fault of the code Conflict. The content is replaced
// in place, so a symbolic link stays one, and the other names of the file show the new content, too.
func (f *File) Save(text string, base Version) (Version, error) {
	f.saving.Lock()
	defer f.saving.Unlock()
	if to := realPath(f.path); to != f.real {
		return "", fault.New(fault.Refused, f.path+" now leads to "+to+", not to the file that you opened",
			"look at what replaced it, and open that file if you want to change it")
	}
	now, err := readFile(f.path)
	have := Version("")
	switch {
	case err == nil:
		have = Version(fileio.Hash(now))
	case !errors.Is(err, os.ErrNotExist):
		return "", describe(f.path, err)
	}
	if have != base {
		return "", fault.New(fault.Conflict, filepath.Base(f.path)+" has changed on the disk since it was shown",
			"compare both, then save again to replace it")
	}
	if err := replace(f.path, now, []byte(text)); err != nil {
		return "", describe(f.path, err)
	}
	f.watch.notify() // the other viewers
	return Version(fileio.Hash([]byte(text))), nil
}

// replace writes the content in place, and puts the former one back if that fails half-way, such as on a full disk.
func replace(path string, before, content []byte) error {
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return err //nolint:wrapcheck // describe adds the context
	}
	write := func(b []byte) error {
		if _, err := h.WriteAt(b, 0); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		if err := h.Truncate(int64(len(b))); err != nil {
			return fmt.Errorf("shorten: %w", err)
		}
		return nil
	}
	if err := write(content); err != nil {
		return errors.Join(err, write(before), h.Close())
	}
	if err := h.Sync(); err != nil {
		return errors.Join(fmt.Errorf("write to the disk: %w", err), h.Close())
	}
	if err := h.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// Attach returns a viewer of the file.
func (f *File) Attach() *Viewer {
	v := &Viewer{file: f, changed: f.watch.subscribe()}
	return v
}

// Viewer is one reader of a file.
type Viewer struct {
	file    *File
	changed chan struct{}
	last    Content
	isOpen  bool // the first content was returned
}

// Next returns the content, at first at once, then each time that it has changed.
func (v *Viewer) Next(ctx context.Context) (Content, error) {
	for {
		if v.isOpen {
			select {
			case <-ctx.Done():
				return Content{}, fmt.Errorf("wait for a change of %s: %w", filepath.Base(v.file.path), ctx.Err())
			case <-v.changed:
			}
		}
		c := v.file.Read()
		same := v.isOpen && c.Version == v.last.Version && c.Problem == v.last.Problem && c.IsReadOnly == v.last.IsReadOnly &&
			c.Target == v.last.Target
		v.last, v.isOpen = c, true
		v.last.Text = nil
		if !same {
			return c, nil
		}
	}
}

// Close ends the viewer.
func (v *Viewer) Close() { v.file.watch.unsubscribe(v.changed) }
