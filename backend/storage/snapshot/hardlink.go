package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"goalpost/backend/lib/text"
)

// keepsLink reports whether the change is in a file that had more than one name before, and still is the same file.
// Its other names, which may be outside of the folder, then have the same change and are restored with it.
func (c Change) keepsLink() bool {
	return c.Before.isFile() && c.After.isFile() && c.Before.Linked != 0 && c.After.Linked == c.Before.Linked
}

// LinkNote says what restoring a change does to the other names of a file, "" if it had none.
func (c Change) LinkNote() string {
	switch {
	case !c.Before.isFile() || c.Before.Linked == 0 || c.keepsLink() && c.After.hasContentOf(c.Before):
		return ""
	case c.keepsLink():
		return "a hard link: its other names, also outside of the folder, get the earlier content, too"
	case c.After.hasContentOf(c.Before):
		return "" // only its mode differs
	}
	return "was a hard link and no longer is: the link is not restored, and its other names are left as they are"
}

// writeThrough writes a content into the file itself, so that all of its names have it. The present content is in the
// snapshot from before, and the earlier one is checked before anything is overwritten.
func (r *restoration) writeThrough(dir *os.Root, name string, c Change) (err error) {
	if r.written[c.Before.Linked] != c.Before.SHA256 {
		if err := r.archive.pack.writeTo(io.Discard, c.Before.SHA256); err != nil {
			return err
		}
	}
	f, err := openLinked(dir, name, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, text.StripPathError(f.Close())) }()
	if r.written[c.Before.Linked] != c.Before.SHA256 {
		r.written[c.Before.Linked] = c.Before.SHA256
		err = r.archive.pack.writeTo(f, c.Before.SHA256)
		if err == nil {
			err = text.StripPathError(f.Truncate(c.Before.Size)) // last: a full disk loses less
		}
	}
	return errors.Join(err, text.StripPathError(f.Chmod(permission(c.Before.Mode))))
}

// openLinked opens the file for writing, also if its mode does not allow that. It fails if a program has replaced it,
// and never follows a link.
func openLinked(dir *os.Root, name string, c Change) (*os.File, error) {
	f, err := openSame(dir, name, c, os.O_RDWR)
	if !errors.Is(err, fs.ErrPermission) {
		return f, err
	}
	if f, err = openSame(dir, name, c, os.O_RDONLY); err != nil {
		return nil, err
	}
	err = errors.Join(text.StripPathError(f.Chmod(permission(c.After.Mode)|0o600)), text.StripPathError(f.Close()))
	if err != nil {
		return nil, err
	}
	return openSame(dir, name, c, os.O_RDWR)
}

func openSame(dir *os.Root, name string, c Change, flags int) (*os.File, error) {
	f, err := dir.OpenFile(name, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, text.StripPathError(err)
	}
	info, err := f.Stat()
	if err == nil && !sameFile(info, c.After.info) {
		err = errors.New("it was replaced in the meantime; try again")
	}
	if err != nil {
		return nil, errors.Join(text.StripPathError(err), f.Close())
	}
	return f, nil
}
