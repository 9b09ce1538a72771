package browser

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"goalpost/backend/domain/pane"
)

// asksWhere reports whether the user is asked where a file is saved. Files for an agent are never asked about. The
// caller holds the state's mutex.
func (s *State) asksWhere() bool {
	return s.isUserAction() && s.m.cfg.AsksWhere != nil && s.m.cfg.AsksWhere()
}

// Place says where a download that asks is saved: a path, or a folder in which it has its own name. An existing file
// is not replaced: the new one gets a number.
func (do *Downloads) Place(id, path string) error {
	d, ok := do.download(id)
	if !ok || !d.Asks {
		return errors.New("saving a download: it has its place already")
	}
	if !filepath.IsAbs(path) {
		return fmt.Errorf("saving a download: %q is not a whole path: begin it with / or ~/", path)
	}
	if info, err := os.Stat(path); strings.HasSuffix(path, "/") || err == nil && info.IsDir() {
		path = filepath.Join(path, d.Name)
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("saving a download: there is no folder %s: create it, or choose another", dir)
	}
	hasArrived := false
	do.updateDownload(id, func(d *pane.Download) {
		hasArrived = d.State == pane.Arrived
		d.Asks, d.Path = false, path
	})
	if !hasArrived {
		return nil // it is moved when it is complete
	}
	return do.finishDownload(id)
}

// placeAll saves what has arrived and still asks in the folder for downloads, because the pane closes.
func (do *Downloads) placeAll() error {
	var errs error
	for _, d := range do.List() {
		if d.State == pane.Arrived {
			do.updateDownload(d.ID, func(d *pane.Download) { d.Asks = false })
			errs = errors.Join(errs, do.finishDownload(d.ID))
		}
	}
	return errs
}

// moveFile moves a file over another one, also of another file system.
func moveFile(from, to string) (err error) {
	if err := os.Rename(from, to); !errors.Is(err, syscall.EXDEV) {
		return err //nolint:wrapcheck // moveDownload wraps it
	}
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("the downloaded file: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("the new file: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying the file: %w", err)
	}
	return os.Remove(from) //nolint:wrapcheck // moveDownload wraps it
}
