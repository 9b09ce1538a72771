package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// GoalQueue finds which goals cannot start yet, and why.
type GoalQueue struct {
	*connection
	locks     *GoalLocks
	approvals *ApprovalTable
}

// NotReady returns why a goal cannot start yet, nil if it can. The queue belongs to the data folder: goals of all
// processes count.
func (s *GoalQueue) NotReady(ctx context.Context, id goal.ID, slots int) (*goal.NotReadyError, error) {
	return s.busy(ctx, s.read, id, slots)
}

// busy is NotReady on a connection or within a transaction.
func (s *GoalQueue) busy(ctx context.Context, q querier, id goal.ID, slots int) (*goal.NotReadyError, error) {
	first, _, err := s.checkDependencies(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if first != "" {
		return &goal.NotReadyError{Reason: "it waits for goal " + first.Short()}, nil
	}
	mine, err := folderOf(ctx, q, id)
	if err != nil {
		return nil, err
	}
	running, err := s.runningGoals(ctx, q, id)
	if err != nil {
		return nil, err
	}
	for _, other := range running {
		if mine.conflictsWith(other) {
			return &goal.NotReadyError{Reason: fmt.Sprintf("goal %s writes in the same folder", other.id.Short())}, nil
		}
	}
	// A child uses its parent's slot: otherwise a parent that waits for it would block it.
	taken := 0
	for _, other := range running {
		if other.parent == "" {
			taken++
		}
	}
	switch {
	case taken < slots || mine.parent != "":
		return nil, nil
	case taken == 1:
		return &goal.NotReadyError{Reason: "1 goal runs already", Slots: true}, nil
	}
	return &goal.NotReadyError{Reason: fmt.Sprintf("%d goals run already", taken), Slots: true}, nil
}

// QueueReason returns why a goal waits in the queue of a live process, "" if it does not wait in one. Such a goal keeps
// the status that it had before.
func (s *GoalQueue) QueueReason(g GoalRow) (string, error) {
	if g.Queued == "" {
		return "", nil
	}
	alive, err := s.locks.IsLocked(g.ID)
	if err != nil || !alive {
		return "", err
	}
	return g.Queued, nil
}

// goalFolder describes where a goal works and writes.
type goalFolder struct {
	id     goal.ID
	dir    string
	more   []string // additional folders that it may write to
	risk   policy.Risk
	parent goal.ID
}

// conflictsWith reports whether two goals must not run at the same time: both write, and the folder of one contains
// that of the other.
func (f goalFolder) conflictsWith(o goalFolder) bool {
	for _, mine := range f.writes() {
		for _, theirs := range o.writes() {
			if policy.IsWithin(mine, theirs) || policy.IsWithin(theirs, mine) {
				return true
			}
		}
	}
	return false
}

// writes lists the folders that a goal may write to.
func (f goalFolder) writes() []string {
	if f.risk == policy.ReadOnly || f.dir == "" {
		return f.more
	}
	return append([]string{f.dir}, f.more...)
}

const folderColumns = "id, coalesce(policy ->> 'dir', ''), coalesce(policy ->> 'risk', ''), coalesce(options ->> " +
	"'parent', ''), coalesce(policy ->> 'allow_write', '[]')"

func scanFolder(r scanner, f *goalFolder) error {
	return r.Scan(&f.id, &f.dir, &f.risk, &f.parent, jsonColumn{&f.more})
}

func folderOf(ctx context.Context, q querier, id goal.ID) (f goalFolder, err error) {
	err = scanFolder(q.QueryRowContext(ctx, "SELECT "+folderColumns+" FROM goals WHERE id = ?", id), &f)
	if errors.Is(err, sql.ErrNoRows) {
		return f, fmt.Errorf("%w: %s", goal.ErrNotFound, id)
	}
	if err != nil {
		return f, fmt.Errorf("queue: %w", err)
	}
	return f, nil
}

// runningGoals lists the other running goals whose owner lives.
func (s *GoalQueue) runningGoals(ctx context.Context, q querier, id goal.ID) (alive []goalFolder, err error) {
	running, err := readRows(ctx, q, "queue", scanFolder,
		"SELECT "+folderColumns+" FROM goals WHERE status = 'running' AND id <> ?", id)
	if err != nil {
		return nil, err
	}
	for _, f := range running {
		isAlive, err := s.locks.IsLocked(f.id)
		if err != nil {
			return nil, err
		}
		if isAlive {
			grants, err := s.approvals.Grants(ctx, f.id)
			if err != nil {
				return nil, err
			}
			f.more = (policy.Policy{AllowWrite: f.more}).WithGrants(grants).AllowWrite
			alive = append(alive, f)
		}
	}
	return alive, nil
}

// ConflictingWriter names the running goal that writes in a folder, below it or above it; "" if none does.
func (s *GoalQueue) ConflictingWriter(ctx context.Context, dir string, id goal.ID) (goal.ID, error) {
	running, err := s.runningGoals(ctx, s.read, id)
	for _, other := range running {
		if other.conflictsWith(goalFolder{dir: dir}) {
			return other.id, nil
		}
	}
	return "", err
}

// FailedDependency describes a dependency that did not complete, "" if there is none.
func (s *GoalQueue) FailedDependency(ctx context.Context, id goal.ID) (string, error) {
	_, unmet, err := s.checkDependencies(ctx, s.read, id)
	return unmet, err
}

// checkDependencies checks the goals that must be done first. first is one that may still complete, also if it stopped
// and is queued to continue; unmet describes one that did not complete.
func (s *GoalQueue) checkDependencies(
	ctx context.Context, q querier, id goal.ID,
) (waiting goal.ID, unmet string, err error) {
	after, err := readRows(ctx, q, "queue", func(r scanner, g *GoalRow) error {
		return r.Scan(&g.ID, &g.Status, &g.Exit, &g.Queued)
	}, `SELECT a.value, coalesce(g.status, ''), coalesce(g.exit, ''), coalesce(g.queued, '')
		FROM goals me, json_each(me.options, '$.after') a
		LEFT JOIN goals g ON g.id = a.value WHERE me.id = ?`, id)
	if err != nil {
		return "", "", err
	}
	for _, first := range after {
		queues, err := s.QueueReason(first)
		if err != nil {
			return "", "", err
		}
		switch {
		case first.Status == goal.Completed:
		case first.Status == "":
			unmet = fmt.Sprintf("goal %s, which must be done first, was deleted", first.ID.Short())
		case first.Status.IsActive() || queues != "":
			waiting = first.ID
		default:
			unmet = fmt.Sprintf("goal %s, which must be done first, ended %s", first.ID.Short(), first.Exit)
		}
	}
	return waiting, unmet, nil
}
