package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/session"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/gitrepo"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

// Take puts what a runner changed into the folder of its race, which has a snapshot from before: Untake restores it. It
// changes nothing if a file is different in the folder from what the race began with, unless that file is forced.
func (r *Races) Take(ctx context.Context, part string, runner int, in api.TakeInput) (out api.TakeOutput, err error) {
	rows, row, err := r.runner(ctx, part, runner)
	if err != nil {
		return out, err
	}
	out.Folder = row.Origin.Race.Folder
	if row.Exit != goal.Done || row.Status != goal.Completed {
		return out, fault.Kind(fault.Conflict, "", fmt.Sprintf("runner %d has not passed its checks", runner),
			"take one that passed, or continue it: goalctl resume "+row.ID.Short())
	}
	if taken, err := r.Taken(ctx, rows); err != nil {
		return out, err
	} else if taken != nil && !in.DryRun {
		return out, fault.Kind(fault.Conflict, "", fmt.Sprintf("runner %d is already taken", taken.Runner),
			"undo that first: goalctl race undo "+row.Origin.Race.ID.Short())
	}
	lock, from, err := r.openToTake(ctx, row)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	q := snapshot.ApplyRequest{DryRun: in.DryRun}
	if q.Force, err = relativePaths(out.Folder, in.Force); err != nil {
		return out, err
	}
	if q.Keep, err = relativePaths(out.Folder, in.Keep); err != nil {
		return out, err
	}
	var repo *gitrepo.Repo
	if in.Commit { // before the folder is changed
		if repo, out.Branch, err = r.repoToCommit(ctx, row); err != nil {
			return out, err
		}
	}
	done, err := r.apply(ctx, row, from, q)
	if done == nil {
		return out, err
	}
	if describeTaken(&out, done); done.Saved < 0 {
		if err == nil && !in.DryRun && len(out.Conflicts) == 0 {
			err = fault.Kind(fault.Conflict, "", "the folder already has what the runner changed", "look at its changes: "+
				"goalctl diff "+row.ID.Short())
		}
		return out, err
	}
	if err == nil && repo != nil {
		err = r.commitTaken(ctx, row, from, repo, in, &out)
	}
	body := &event.Taken{Folder: out.Folder, Count: len(out.Done), Commit: out.Commit, Branch: out.Branch}
	return out, errors.Join(err, r.report(ctx, row, body))
}

// runner returns one runner of a race, with all of them.
func (r *Races) runner(ctx context.Context, part string, runner int) ([]store.GoalRow, store.GoalRow, error) {
	rows, err := r.Find(ctx, part)
	if err != nil {
		return nil, store.GoalRow{}, err
	}
	for _, row := range rows {
		if row.Origin.Race.Runner == runner {
			return rows, row, nil
		}
	}
	return nil, store.GoalRow{}, fault.Kind(fault.NotFound, "runner", "the race has no runner "+strconv.Itoa(runner),
		"goalctl race show "+rows[0].ID.Short()+" lists them")
}

// openToTake locks a runner, so that it cannot be resumed, and opens the snapshots of its folder.
func (r *Races) openToTake(ctx context.Context, row store.GoalRow) (*store.GoalLock, *snapshot.Archive, error) {
	history := r.goals.History
	if err := history.refuseWorkIn(ctx, row.ID, row.Origin.Race.Folder); err != nil {
		return nil, nil, err
	}
	lock, err := r.goals.Runs.lockStopped(ctx, row.ID)
	if errors.Is(err, store.ErrGoalLocked) {
		return nil, nil, goalRunningError(row.ID)
	}
	if err != nil {
		return nil, nil, err
	}
	from, unavailable, err := history.open(row)
	if err == nil && from == nil {
		err = fault.Kind(fault.Conflict, "", unavailable, "take another runner")
	}
	if err != nil {
		return nil, nil, errors.Join(err, lock.Unlock())
	}
	return lock, from, nil
}

// takenOptions returns where the snapshots of the race's folder are, which only an undo needs.
func (r *Races) takenOptions(row store.GoalRow) snapshot.Options {
	g := row.Goal
	g.Policy.Dir = row.Origin.Race.Folder
	return session.SnapshotOptions(g, r.goals.cfg.State(), filepath.Join(r.goals.store.GoalDir(row.ID), "taken"))
}

// apply makes the changes of a runner in the folder of the race.
func (r *Races) apply(
	ctx context.Context, row store.GoalRow, from *snapshot.Archive, q snapshot.ApplyRequest,
) (out *snapshot.Outcome, err error) {
	o := r.takenOptions(row)
	if err := os.RemoveAll(o.Private); err != nil { // of a take that was undone
		return nil, fmt.Errorf("take: %w", err)
	}
	to, err := snapshot.Open(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if out, err = to.Apply(ctx, from, q); err != nil {
		return out, fault.New(fault.Conflict, "the changes cannot be taken: "+err.Error(),
			"put the folder "+o.Dir+" or "+row.Policy.Dir+" back if it is gone, then try again")
	}
	return out, nil
}

// describeTaken adds to out what was or would be done.
func describeTaken(out *api.TakeOutput, o *snapshot.Outcome) {
	out.Done, out.Conflicts, out.Skipped, out.LeftOut = []api.ChangedPath{}, []api.SkippedPath{}, []api.SkippedPath{},
		[]api.LeftOutPath{}
	for _, c := range (&snapshot.Comparison{Changes: o.Done}).Files() {
		out.Done = append(out.Done, api.ChangedPath{Path: snapshot.Display(c.Path), Change: changeOf(c)})
	}
	for _, s := range o.Skipped {
		view := api.SkippedPath{Path: snapshot.Display(s.Path), Why: s.Why, CanForce: s.CanForce}
		if s.CanForce {
			out.Conflicts = append(out.Conflicts, view)
		} else {
			out.Skipped = append(out.Skipped, view)
		}
	}
}

// repoToCommit opens the repository of the race's folder, and returns the branch that is checked out.
func (r *Races) repoToCommit(ctx context.Context, row store.GoalRow) (*gitrepo.Repo, string, error) {
	dir := row.Origin.Race.Folder
	repo, err := gitrepo.Open(ctx, r.goals.History.programs, environ.Base(environ.Of(ctx)), dir)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		err = fault.Kind(fault.Conflict, "commit", "the folder "+dir+" is not in a git repository",
			"take the changes without a commit")
	}
	if err == nil && repo.Branch() == "" {
		err = fault.Kind(fault.Conflict, "commit", "no branch is checked out in "+dir,
			"check one out, or take the changes without a commit")
	}
	if err != nil {
		return nil, "", err
	}
	return repo, repo.Branch(), nil
}

// commitTaken commits what was taken to the branch that is checked out in the race's folder.
func (r *Races) commitTaken(
	ctx context.Context, row store.GoalRow, from *snapshot.Archive, repo *gitrepo.Repo, in api.TakeInput,
	out *api.TakeOutput,
) error {
	c, err := from.Compare(ctx, 0)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	taken := map[string]bool{}
	for _, one := range out.Done {
		taken[one.Path] = true
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(one snapshot.Change) bool { return !taken[snapshot.Display(one.Path)] })
	var listed api.CommitOutput
	files, err := collectFiles(ctx, row, from, repo, c, &listed)
	if err == nil {
		out.Commit, err = repo.Commit(ctx, out.Branch, commitMessage(row, in.Message), files)
	}
	out.LeftOut = listed.Skipped
	if err = nameLeftOut(err, listed.Skipped); err != nil {
		return fault.New(fault.Conflict, "the changes are in the folder, but were not committed: "+err.Error(),
			"commit them yourself: git -C "+out.Folder+" commit")
	}
	return nil
}

// Untake restores the folder of a race to what it was before a result was taken. Files that were edited since are left
// alone, unless they are forced. A commit stays.
func (r *Races) Untake(ctx context.Context, part string, in api.UndoInput) (out api.UndoOutput, err error) {
	rows, err := r.Find(ctx, part)
	if err != nil {
		return out, err
	}
	taken, err := r.Taken(ctx, rows)
	if err != nil {
		return out, err
	}
	if taken == nil {
		return out, fault.Kind(fault.Conflict, "", "nothing is taken from this race", "goalctl race take RACE N takes one")
	}
	_, row, err := r.runner(ctx, part, taken.Runner)
	if err != nil {
		return out, err
	}
	lock, _, err := r.openToTake(ctx, row)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	o := r.takenOptions(row)
	a, err := snapshot.Open(o)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if len(a.Checkpoints()) == 0 {
		return out, fault.Kind(fault.Conflict, "", "the state of the folder from before is gone",
			"use git to restore it, if the folder is in a repository")
	}
	force, err := relativePaths(o.Dir, in.Force)
	if err != nil {
		return out, err
	}
	out.To = "its state before runner " + strconv.Itoa(taken.Runner) + " was taken"
	done, err := a.Restore(ctx, snapshot.Request{Force: force, DryRun: in.DryRun})
	describeOutcome(&out, done)
	if err != nil || in.DryRun {
		return out, err
	}
	return out, r.report(ctx, row, &event.Taken{Folder: o.Dir, Count: len(out.Done), Undone: true})
}

// report journals that a result was taken or given back, although the caller may be gone.
func (r *Races) report(ctx context.Context, row store.GoalRow, body *event.Taken) error {
	const timeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	return r.goals.store.Journal.Append(ctx, goal.Run{Goal: row.ID, ID: row.RunID}, body)
}
