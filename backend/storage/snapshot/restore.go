package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"goalpost/backend/lib/folder"
	"goalpost/backend/lib/text"
)

// Request describes a restoration.
type Request struct {
	To    int      // the snapshot to restore
	Paths []string // files and folders, relative; empty for everything
	// Force has paths to restore although another program or the user changed them since, or although their present
	// content cannot be saved.
	Force  []string
	DryRun bool // change nothing, only return what would be done
	Redo   bool // this undoes an undo
}

// Skipped is a path that a restoration leaves unchanged.
type Skipped struct {
	Path     string
	Why      string
	CanForce bool
}

// Outcome is the result of a restoration.
type Outcome struct {
	Done    []Change
	Skipped []Skipped
	LeftOut []*Entry
	// Saved is the snapshot of the folder before it was changed; -1 if nothing was changed.
	Saved int
}

// Restore restores the folder to a snapshot, and takes a snapshot before and one after. It replaces each file
// atomically, and none that changed after the scan. After an error, part of the folder may be restored; the archive
// then has the snapshot from before.
func (a *Archive) Restore(ctx context.Context, q Request) (*Outcome, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.To < 0 || q.To >= len(a.records) {
		return nil, fmt.Errorf("there is no snapshot %d", q.To)
	}
	if q.DryRun {
		is, err := a.scanNow(ctx)
		if err != nil {
			return nil, err
		}
		out, _ := a.plan(q, is)
		return out, nil
	}
	if err := a.makeReadable(ctx, q.To); err != nil {
		return nil, err
	}
	if err := a.take(ctx, record{Kind: BeforeUndo, Step: a.newestStep()}); err != nil {
		return nil, err
	}
	snapshot := len(a.records) - 1
	out, work := a.plan(q, a.last)
	if len(work.changes) == 0 {
		return out, nil
	}
	if err := a.Sync(); err != nil { // so that overwritten contents survive a loss of power
		return nil, err
	}
	out.Saved = snapshot
	err := work.run(ctx, out)
	// record the changes even if ctx has ended
	after := a.take(context.WithoutCancel(ctx), record{
		Kind: AfterUndo, Step: a.newestStep(), Redo: q.Redo, To: q.To, Part: q.Redo && len(q.Paths) > 0,
	})
	return out, errors.Join(err, after)
}

func (a *Archive) newestStep() int {
	if len(a.records) == 0 {
		return 0
	}
	return a.records[len(a.records)-1].Step
}

// makeReadable sets the mode of folders and files that were readable in snapshot n, and are not now, to the mode of the
// snapshot: otherwise nothing in them could be restored.
func (a *Archive) makeReadable(ctx context.Context, n int) error {
	target := a.stateAt(n)
	for range maxDepth {
		is, err := a.scanNow(ctx)
		if err != nil {
			return err
		}
		changed := false
		for at, e := range is {
			old := target[at]
			if e.LeftOut != leftOutUnreadable || old == nil || old.LeftOut != "" || old.Mode.Type() != e.Mode.Type() {
				continue
			}
			err := a.inFolder(at, func(dir *os.Root, name string) error {
				return text.StripPathError(dir.Chmod(name, permission(old.Mode)))
			})
			changed = changed || err == nil
		}
		if !changed {
			return nil
		}
	}
	return nil
}

// inFolder calls do with the folder of a path. It makes missing folders above the path.
func (a *Archive) inFolder(at string, do func(dir *os.Root, name string) error) error {
	root, err := os.OpenRoot(a.o.Dir)
	if err != nil {
		return fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	dir, name, err := folder.OpenParent(root, filepath.FromSlash(at))
	if err != nil {
		return err
	}
	return errors.Join(do(dir, name), dir.Close())
}

func (a *Archive) isThere(at string) bool {
	root, err := os.OpenRoot(a.o.Dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	_, err = root.Lstat(filepath.FromSlash(at))
	return err == nil
}

// restoration has the changes that restore a folder.
type restoration struct {
	archive *Archive
	is      state
	changes []Change
	target  state
	// modes has the final modes of folders, by path.
	modes map[string]fs.FileMode
	// written has the hashes of contents that were written into files with more than one name, by inode number.
	written map[uint64]string
}

// plan decides which paths are restored and which are skipped. The caller holds the archive's mu.
func (a *Archive) plan(q Request, is state) (*Outcome, *restoration) {
	c := a.compare(q.To, is)
	c.Select(q.Paths)
	out := &Outcome{LeftOut: c.LeftOut, Saved: -1}
	work := &restoration{
		archive: a, is: is, target: a.stateAt(q.To), modes: map[string]fs.FileMode{}, written: map[uint64]string{},
	}
	for _, one := range c.Changes {
		switch {
		case one.Before.isFile() && !a.pack.has(one.Before.SHA256) && !one.After.hasContentOf(one.Before):
			out.Skipped = append(out.Skipped, Skipped{Path: one.Path, Why: "its earlier content was too large to be saved"})
		case one.EditedSince && !isWithin(one.Path, q.Force):
			out.Skipped = append(out.Skipped, Skipped{one.Path, "edited later, not by this goal", true})
		case !q.DryRun && one.After.isFile() && !a.pack.has(one.After.SHA256) &&
			!one.Before.hasContentOf(one.After) && !isWithin(one.Path, q.Force):
			out.Skipped = append(out.Skipped, Skipped{one.Path, "its present content is too large to be saved", true})
		default:
			work.changes = append(work.changes, one)
		}
	}
	work.addParents()
	out.Done = work.changes
	return out, work
}

// isWithin reports whether a path is at or below one of the given paths.
func isWithin(path string, paths []string) bool {
	c := Comparison{Changes: []Change{{Path: path}}}
	c.Select(paths)
	return len(paths) > 0 && len(c.Changes) > 0
}

func (e *Entry) hasContentOf(o *Entry) bool { return e.isFile() && o.isFile() && e.SHA256 == o.SHA256 }

// addParents adds the missing folders above the paths to restore.
func (r *restoration) addParents() {
	planned := map[string]bool{}
	for _, one := range r.changes {
		planned[one.Path] = true
	}
	missing := map[string]bool{}
	for _, one := range r.changes {
		if one.Before == nil {
			continue
		}
		for at := range parents(one.Path) {
			if r.is[at] == nil && r.target[at].isDir() && !planned[at] {
				missing[at] = true
			}
		}
	}
	for at := range missing {
		r.changes = append(r.changes, Change{Path: at, Before: r.target[at]})
	}
	slices.SortFunc(r.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
}

// run makes the changes. out also lists those that failed; an error means that run ended early.
func (r *restoration) run(ctx context.Context, out *Outcome) error {
	var done []Change
	failed := map[string]string{}
	do := func(list []Change, act func(Change) error) error {
		for _, one := range list {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("restoring the folder: %w", context.Cause(ctx))
			}
			if failed[one.Path] != "" {
				continue
			}
			if err := act(one); err != nil {
				failed[one.Path] = err.Error()
			}
		}
		return nil
	}
	backward := slices.Clone(r.changes)
	slices.Reverse(backward) // the content of a folder comes before the folder
	r.openFolders()
	err := do(backward, r.remove)
	if err == nil {
		err = do(r.changes, r.put)
	}
	if e := r.setModes(); err == nil {
		err = e
	}
	for _, one := range r.changes {
		if why := failed[one.Path]; why != "" {
			out.Skipped = append(out.Skipped, Skipped{Path: one.Path, Why: why})
		} else if err == nil {
			done = append(done, one)
		}
	}
	out.Done = done
	return err
}

// openFolders makes the folders with changes writable, until setModes.
func (r *restoration) openFolders() {
	for _, one := range r.changes {
		if one.Before.isDir() {
			r.modes[one.Path] = permission(one.Before.Mode)
		}
		for at := range parents(one.Path) {
			r.openFolder(at)
		}
		if one.After.isDir() {
			r.openFolder(one.Path)
		}
	}
}

func (r *restoration) openFolder(at string) {
	e := r.is[at]
	const access = 0o700
	if !e.isDir() || e.LeftOut != "" || e.Mode&access == access {
		return
	}
	if _, planned := r.modes[at]; !planned {
		r.modes[at] = permission(e.Mode)
	}
	// after an error the changes in the folder fail, and are reported
	_ = r.archive.inFolder(at, func(dir *os.Root, name string) error {
		return dir.Chmod(name, permission(e.Mode)|access)
	})
}

// setModes sets the modes of folders, the innermost first.
func (r *restoration) setModes() error {
	var errs []error
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(r.modes))) {
		if !r.archive.isThere(at) {
			continue // creating it failed, and was reported
		}
		errs = append(errs, r.archive.inFolder(at, func(dir *os.Root, name string) error {
			info, err := dir.Lstat(name)
			if err != nil || !info.IsDir() || permission(info.Mode()) == r.modes[at] {
				return nil //nolint:nilerr // it is gone
			}
			return text.StripPathError(dir.Chmod(name, r.modes[at]))
		}))
	}
	return errors.Join(errs...)
}

// remove removes an entry that did not exist, or had another type.
func (r *restoration) remove(c Change) error {
	if c.After == nil || c.Before != nil && c.Before.Mode.Type() == c.After.Mode.Type() {
		return nil
	}
	return r.archive.inFolder(c.Path, func(dir *os.Root, name string) error {
		if err := r.checkUnchanged(dir, name, c.After); err != nil {
			return err
		}
		err := dir.Remove(name)
		switch {
		case c.After.isDir() && c.Before == nil && !errors.Is(err, fs.ErrPermission):
			return nil // the rest of its content is reported with its own reason
		case c.After.isDir() && errors.Is(err, syscall.ENOTEMPTY):
			return errors.New("a folder is in its place, with content that is left as it is")
		}
		return text.StripPathError(err)
	})
}

// put restores an entry, with its content and mode.
func (r *restoration) put(c Change) error {
	if c.Before == nil {
		return nil
	}
	return r.archive.inFolder(c.Path, func(dir *os.Root, name string) error {
		sameType := c.After != nil && c.Before.Mode.Type() == c.After.Mode.Type()
		if sameType {
			if err := r.checkUnchanged(dir, name, c.After); err != nil {
				return err
			}
		} else if _, err := dir.Lstat(name); err == nil && !c.Before.isDir() {
			return errors.New("something else is there now")
		}
		switch {
		case c.Before.isDir():
			return makeFolder(dir, name)
		case c.Before.Target != "":
			return replace(dir, name, func(temporary string) error {
				return dir.Symlink(string(c.Before.Target), temporary)
			})
		case c.After.hasContentOf(c.Before):
			return text.StripPathError(dir.Chmod(name, permission(c.Before.Mode)))
		}
		if c.keepsLink() {
			return r.writeThrough(dir, name, c)
		}
		return r.writeFile(dir, name, c.Before)
	})
}

// makeFolder creates a writable folder; setModes sets its final mode.
func makeFolder(dir *os.Root, name string) error {
	err := dir.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrExist) {
		if info, e := dir.Lstat(name); e == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return text.StripPathError(err)
	}
	below, err := dir.OpenRoot(name)
	if err != nil {
		return text.StripPathError(err)
	}
	f, err := below.Open(".")
	if err != nil {
		return errors.Join(text.StripPathError(err), below.Close())
	}
	return errors.Join(folder.ChownLike(dir, f), f.Close(), below.Close())
}

// writeFile writes a content to a temporary file, and moves it to its place.
func (r *restoration) writeFile(dir *os.Root, name string, e *Entry) error {
	return replace(dir, name, func(temporary string) error {
		f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err //nolint:wrapcheck // replace does
		}
		err = r.archive.pack.writeTo(f, e.SHA256)
		if err == nil {
			err = folder.ChownLike(dir, f)
		}
		if err == nil {
			err = f.Chmod(permission(e.Mode))
		}
		return errors.Join(err, f.Close())
	})
}

// replace calls write to create a temporary file or link, and renames it atomically.
func replace(dir *os.Root, name string, write func(temporary string) error) error {
	temporary := fmt.Sprintf(".goalpost-undo-%016x", rand.Uint64())
	err := write(temporary)
	if err == nil {
		err = dir.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(text.StripPathError(err), ignoreMissing(dir.Remove(temporary)))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return text.StripPathError(err)
}

// checkUnchanged fails if an entry changed since the scan.
func (r *restoration) checkUnchanged(dir *os.Root, name string, e *Entry) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return fmt.Errorf("%s changed in the meantime; try again", Display(string(e.Path)))
	}
	now := stampOf(info)
	if e.isFile() && now.Inode == e.scanStamp.Inode && r.written[now.Inode] != "" {
		return nil // this restoration has changed it, through another of its names
	}
	isSame := info.Mode().Type() == e.Mode.Type()
	switch {
	case e.isFile():
		isSame = isSame && info.Size() == e.Size && now.MTime == e.scanStamp.MTime && now.Inode == e.scanStamp.Inode
	case e.Target != "":
		target, err := dir.Readlink(name)
		isSame = isSame && err == nil && target == string(e.Target)
	}
	if !isSame {
		return fmt.Errorf("%s changed in the meantime; try again", path.Base(Display(string(e.Path))))
	}
	return nil
}
