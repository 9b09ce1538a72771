package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"goalpost/backend/text"
	"goalpost/backend/verify/protect"
	"goalpost/backend/verify/workspace"
)

// Options say what a workspace is compared with, and what must not change in it.
type Options = protect.Options

// Workspace is a goal's folder compared with what was there at its start, and with what must not change in it. All
// methods may be called concurrently, and on nil, which knows of no change.
type Workspace struct {
	folder    *workspace.Workspace
	protected *protect.State
}

// comparison is the folder against its start; nil of nil.
func (w *Workspace) comparison() *workspace.Workspace {
	if w == nil {
		return nil
	}
	return w.folder
}

// guard is the state of the protected files; nil of nil.
func (w *Workspace) guard() *protect.State {
	if w == nil {
		return nil
	}
	return w.protected
}

// RecordProtected keeps what decides the criterion, when a goal is made: what it is shown to
// the user as, it stays, also while the goal waits for its turn.
func RecordProtected(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return fmt.Errorf("keeping what decides: %w", text.StripPathError(err))
	}
	_, err := protect.Record(ctx, o, nil)
	return err
}

// OpenProtection reads what RecordProtected kept. It keeps nothing that was not kept before.
func OpenProtection(o Options) (*protect.State, error) { return protect.Open(o) }

// OpenWorkspace compares with what was kept in Private, or takes and keeps the present state if nothing was: at the
// first start of a goal. What was frozen before stays as it was, and what has come since and decides, too, is kept.
func OpenWorkspace(ctx context.Context, o Options) (*Workspace, error) {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return nil, fmt.Errorf("keeping what the folder was: %w", text.StripPathError(err))
	}
	at := workspace.Options{Dir: o.Dir, Private: o.Private, Hidden: o.HiddenNames()}
	w := &Workspace{}
	var err error
	if w.folder, err = workspace.Open(at); err == nil {
		w.protected, err = protect.Load(o.Dir, o.Private)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = w.recordStart(ctx, o, at)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// recordStart keeps the present state. The folder comes last: what was half kept is taken again.
func (w *Workspace) recordStart(ctx context.Context, o Options, at workspace.Options) error {
	frozen, err := protect.Load(o.Dir, o.Private)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if w.protected, err = protect.Record(ctx, o, frozen); err != nil {
		return err
	}
	w.folder, err = workspace.Record(ctx, at)
	return err
}

// Protected lists what must not change.
func (w *Workspace) Protected() []protect.Protected { return w.guard().Protected() }

// WatchPages makes what the goal's pages show a part of each fingerprint: their addresses and a hash of what is on
// them. It is for a workspace that nothing uses yet.
func (w *Workspace) WatchPages(show func(ctx context.Context) (string, error)) { w.folder.Pages = show }

// Changed says in a sentence what is different since the start, "" if nothing.
func (w *Workspace) Changed(ctx context.Context) (string, error) { return w.comparison().Changed(ctx) }

// Diff is what changed since the start in the unified form, shortened where it is long.
func (w *Workspace) Diff(ctx context.Context) (string, error) { return w.comparison().Diff(ctx) }

// Fingerprint is the same as long as the goal's folder and pages are. unseen says what was
// not looked at, "" if nothing was left out: there something may have changed.
func (w *Workspace) Fingerprint(ctx context.Context) (print, unseen string, err error) {
	return w.comparison().Fingerprint(ctx)
}

// Tampered says what of the protected files is not as it was, "" if all is.
func (w *Workspace) Tampered(context.Context) (string, error) { return w.guard().Tampered(-1) }

// Undecided names the changed files whose change RecordShown has not kept.
func (w *Workspace) Undecided(ctx context.Context) ([]string, error) { return w.guard().Undecided(ctx) }

// RecordShown keeps which files are changed, and how: the goal pauses for them, and the
// user learns that they are put back.
func (w *Workspace) RecordShown(ctx context.Context) error { return w.guard().RecordShown(ctx) }

// RestoreProtected makes the protected files again what they were and names those it touched. What it takes away is
// moved to aside, a part of the private folder; it is "" if there was nothing to keep.
func (w *Workspace) RestoreProtected(ctx context.Context) (files []string, aside string, err error) {
	return w.guard().RestoreAll(ctx)
}
