package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Options say what the folder is compared with, and what must not change in it.
type Options = protect.Options

// FolderState compares a goal's folder with its state at the start, and knows which files must not change. All
// methods may be called concurrently. A nil FolderState reports no change.
type FolderState struct {
	base      *baseline.Baseline
	protected *protect.State

	mu       sync.Mutex
	verified []string // files that the checks of the last verified claim used
}

// baseline returns nil for a nil FolderState.
func (f *FolderState) baseline() *baseline.Baseline {
	if f == nil {
		return nil
	}
	return f.base
}

// protectedState returns nil for a nil FolderState.
func (f *FolderState) protectedState() *protect.State {
	if f == nil {
		return nil
	}
	return f.protected
}

// RecordProtected copies what decides the criterion when a goal is made, so that it stays as the user saw it while
// the goal waits for its turn.
func RecordProtected(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return fmt.Errorf("recording the protected files: %w", text.StripPathError(err))
	}
	_, err := protect.Record(ctx, o, nil)
	return err
}

// OpenProtection reads what RecordProtected stored. It stores nothing.
func OpenProtection(o Options) (*protect.State, error) { return protect.Open(o) }

// OpenFolderState opens the state in Private. At the first start of a goal, it records the present state first: files
// that RecordProtected stored stay as they were, and new files that decide are added.
func OpenFolderState(ctx context.Context, o Options) (*FolderState, error) {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return nil, fmt.Errorf("recording the folder: %w", text.StripPathError(err))
	}
	at := baseline.Options{Dir: o.Dir, Private: o.Private, Hidden: o.HiddenNames()}
	w := &FolderState{}
	var err error
	if w.base, err = baseline.Open(at); err == nil {
		w.protected, err = protect.Load(o.Dir, o.Private)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = w.recordStart(ctx, o, at)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// recordStart records the present state. The baseline comes last, so that a half-recorded start is recorded again.
func (f *FolderState) recordStart(ctx context.Context, o Options, at baseline.Options) error {
	old, err := protect.Load(o.Dir, o.Private)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.protected, err = protect.Record(ctx, o, old); err != nil {
		return err
	}
	f.base, err = baseline.Record(ctx, at)
	return err
}

// Protected lists what must not change.
func (f *FolderState) Protected() []protect.Item { return f.protectedState().Protected() }

// WatchPages makes the goal's pages part of each fingerprint: show returns their addresses and a hash of their
// content. Call it before any other method.
func (f *FolderState) WatchPages(show func(ctx context.Context) (string, error)) { f.base.Pages = show }

// ListChangesOf makes a source decide what differs from the start. Call it before any other method.
func (f *FolderState) ListChangesOf(source baseline.Source) { f.base.Source = source }

// Changed describes in a sentence what changed since the start, "" if nothing.
func (f *FolderState) Changed(ctx context.Context) (string, error) { return f.baseline().Changed(ctx) }

// Diff returns the changes since the start as a unified diff, shortened if it is long.
func (f *FolderState) Diff(ctx context.Context) (string, error) { return f.baseline().Diff(ctx) }

// Fingerprint stays the same as long as the goal's folder and pages do. gaps describes what was skipped and may
// have changed, "" if nothing was.
func (f *FolderState) Fingerprint(ctx context.Context) (print, gaps string, err error) {
	return f.baseline().Fingerprint(ctx)
}

// Tampered describes the changes in protected files, "" if there are none.
func (f *FolderState) Tampered(context.Context) (string, error) {
	return f.protectedState().Tampered(-1)
}

// RecordShown stores which files are changed, and how, when the goal pauses for them. It returns the files.
func (f *FolderState) RecordShown(ctx context.Context) ([]goal.DecidingFile, error) {
	return f.protectedState().RecordShown(ctx)
}
