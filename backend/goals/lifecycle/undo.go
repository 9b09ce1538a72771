package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

// UndoChanges restores an earlier state of a goal's folder, or of some of its files. The goal must not run.
func (fh *FolderHistory) UndoChanges(
	ctx context.Context, id goal.ID, in api.UndoInput,
) (out api.UndoOutput, err error) {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return out, fmt.Errorf("undo: %w", err)
	}
	if err := fh.refuseUndo(ctx, row); err != nil {
		return out, err
	}
	lock, err := fh.lockStopped(ctx, id)
	if errors.Is(err, store.ErrGoalLocked) {
		return out, goalRunningError(id)
	}
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	a, unavailable, err := fh.open(row)
	if err != nil {
		return out, err
	}
	if a == nil {
		return out, fault.Kind(fault.Conflict, "", unavailable, "there is nothing to restore")
	}
	if a, err = snapshot.Open(session.SnapshotOptions(row.Goal, fh.state, fh.store.GoalDir(id))); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	q := snapshot.Request{DryRun: in.DryRun, Redo: in.Redo}
	if q.To, out.To, err = undoTarget(a, in); err != nil {
		return out, err
	}
	if q.Paths, err = relativePaths(row.Policy.Dir, in.Paths); err != nil {
		return out, err
	}
	if q.Force, err = relativePaths(row.Policy.Dir, in.Force); err != nil {
		return out, err
	}
	done, err := a.Restore(ctx, q)
	describeOutcome(&out, done)
	if err == nil && done.Saved >= 0 {
		err = fh.reportUndo(ctx, row, in, out, whatIsUndone(a))
	}
	if err != nil {
		return out, fmt.Errorf("undo: %w", err)
	}
	_, out.CanRedo = a.LastUndo()
	return out, nil
}

// describeOutcome adds to out what was restored, skipped and left out.
func describeOutcome(out *api.UndoOutput, o *snapshot.Outcome) {
	out.Done, out.Skipped, out.LeftOut = []api.ChangedPath{}, []api.SkippedPath{}, []api.LeftOutPath{}
	if o == nil {
		return
	}
	for _, c := range (&snapshot.Comparison{Changes: o.Done}).Files() {
		out.Done = append(out.Done,
			api.ChangedPath{Path: snapshot.Display(c.Path), Change: changeOf(c), Note: c.LinkNote()})
	}
	for _, p := range o.Skipped {
		out.Skipped = append(out.Skipped, api.SkippedPath{
			Path:     snapshot.Display(p.Path),
			Why:      p.Why,
			CanForce: p.CanForce,
		})
	}
	out.LeftOut = leftOut(o.LeftOut)
}

// goalRunningError refuses an undo while a run could change the folder.
func goalRunningError(id goal.ID) error {
	return fault.New(fault.Conflict, "the goal is running and could change its folder during the undo",
		"pause it first: goalctl pause "+id.Short())
}

// refuseUndo returns why the folder of a goal cannot be restored now.
func (fh *FolderHistory) refuseUndo(ctx context.Context, row store.GoalRow) error {
	locked, err := fh.store.Locks.IsLocked(row.ID)
	if err != nil {
		return err
	}
	if locked && (row.Status == goal.Running || row.Status == goal.Pending || isParked(row)) {
		return goalRunningError(row.ID)
	}
	return fh.refuseWorkIn(ctx, row.ID, row.Policy.Dir)
}

// refuseWorkIn returns an error if another goal runs in a folder, or in one above or below it.
func (fh *FolderHistory) refuseWorkIn(ctx context.Context, except goal.ID, dir string) error {
	others, _, err := fh.store.Goals.List(ctx, store.Filter{Status: goal.Running, Limit: 1000})
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	for _, o := range others {
		other := o.Policy.Dir
		if o.ID == except || !session.MayChangeFolder(o.Policy) ||
			!policy.IsWithin(dir, other) && !policy.IsWithin(other, dir) {
			continue
		}
		if alive, err := fh.store.Locks.IsLocked(o.ID); err != nil || !alive {
			continue
		}
		return fault.New(fault.Conflict, fmt.Sprintf("goal %s is running in the same folder", o.ID.Short()),
			"pause it first: goalctl pause "+o.ID.Short())
	}
	return nil
}

// undoTarget finds the snapshot that an undo restores, and describes it.
func undoTarget(a *snapshot.Archive, in api.UndoInput) (n int, words string, err error) {
	list := a.Checkpoints()
	switch {
	case in.Redo && in.Step != 0:
		return 0, "", fault.Invalid("step", "a redo applies to the whole undo", "leave out the step")
	case in.Redo:
		n, ok := a.LastUndo()
		if !ok {
			return 0, "", fault.Kind(fault.Conflict, "", "there is no undo to redo", "undo first")
		}
		return n, "the state before the undo", nil
	case in.Step == 0:
		return 0, "the start of the goal", nil
	}
	var steps []string
	for _, p := range slices.Backward(list) {
		if p.Kind != snapshot.Step && p.Kind != snapshot.End {
			continue
		}
		if p.Step == in.Step {
			return p.N, fmt.Sprintf("step %d", in.Step), nil
		}
		steps = append(steps, fmt.Sprint(p.Step))
	}
	hint := "no step has a snapshot: leave out the step to restore the start"
	if slices.Reverse(steps); len(steps) > 0 {
		hint = "steps with a snapshot: " + strings.Join(slices.Compact(steps), ", ")
	}
	return 0, "", fault.Invalid("step", fmt.Sprintf("no snapshot was taken after step %d", in.Step), hint)
}

// maxReportedFiles is the number of files that an event names.
const maxReportedFiles = 50

// whatIsUndone returns which of a goal's changes are undone after an undo or a redo.
func whatIsUndone(a *snapshot.Archive) (u goal.Undone) {
	changes, isAll := a.Undone()
	for _, c := range changes[:min(maxReportedFiles, len(changes))] {
		u.Files = append(u.Files, snapshot.Display(c.Path))
	}
	u.Count, u.All = len(changes), isAll
	return u
}

// reportUndo journals the undo, and leaves a note for the agent of a paused goal.
func (fh *FolderHistory) reportUndo(
	ctx context.Context, row store.GoalRow, in api.UndoInput, out api.UndoOutput, undone goal.Undone,
) error {
	body := &event.ChangesUndone{
		To: out.To, Count: len(out.Done), Skipped: len(out.Skipped), Redo: in.Redo, Undone: undone,
	}
	body.Files = []string{}
	for _, p := range out.Done[:min(maxReportedFiles, len(out.Done))] {
		body.Files = append(body.Files, p.Path)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := fh.store.Journal.Append(ctx, goal.Run{Goal: row.ID, ID: row.RunID}, body); err != nil {
		return err
	}
	if row.Status != goal.Paused {
		return nil
	}
	return fh.AddOrder(ctx, row.ID, goal.Order{
		Kind: goal.OrderSteer,
		Text: fmt.Sprintf("I brought files in the goal's folder back to %s: %s. Look at them again before you continue.",
			out.To, joinSome(body.Files)),
	})
}
