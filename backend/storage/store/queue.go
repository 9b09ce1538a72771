package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// GoalQueue finds which goals cannot start yet, and why.
type GoalQueue struct {
	*connection
	locks     *GoalLocks
	approvals *ApprovalTable
}

// NotReady returns why a goal cannot start yet, nil if it can. The queue belongs to the data folder: goals of all
// processes count.
func (gq *GoalQueue) NotReady(ctx context.Context, id goal.ID, slots int) (*goal.NotReadyError, error) {
	return gq.busy(ctx, gq.read, id, slots)
}

// busy is NotReady on a connection or within a transaction.
func (gq *GoalQueue) busy(ctx context.Context, q querier, id goal.ID, slots int) (*goal.NotReadyError, error) {
	first, _, err := gq.checkDependencies(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if first != "" {
		return &goal.NotReadyError{Reason: "it waits for goal " + first.Short()}, nil
	}
	mine, err := findQueuedGoal(ctx, q, id)
	if err != nil {
		return nil, err
	}
	running, err := gq.runningGoals(ctx, q, id)
	if err != nil {
		return nil, err
	}
	for _, other := range running {
		if mine.policy.WritesOverlap(other.policy) {
			return &goal.NotReadyError{Reason: fmt.Sprintf("goal %s writes in the same folder", other.id.Short())}, nil
		}
	}
	// A child uses its parent's slot: otherwise a parent that waits for it would block it.
	busySlots := 0
	for _, other := range running {
		if other.parent == "" {
			busySlots++
		}
	}
	switch {
	case busySlots < slots || mine.parent != "":
		return nil, nil
	case busySlots == 1:
		return &goal.NotReadyError{Reason: "1 goal is already running", Slots: true}, nil
	}
	return &goal.NotReadyError{Reason: fmt.Sprintf("%d goals are already running", busySlots), Slots: true}, nil
}

// QueueReason returns why a goal waits in the queue of a live process, "" if it does not wait in one. Such a goal keeps
// the status that it had before.
func (gq *GoalQueue) QueueReason(g GoalRow) (string, error) {
	if g.Queued == "" {
		return "", nil
	}
	alive, err := gq.locks.IsLocked(g.ID)
	if err != nil || !alive {
		return "", err
	}
	return g.Queued, nil
}

// queuedGoal is what decides whether a goal can run beside another one.
type queuedGoal struct {
	id     goal.ID
	policy policy.Policy // only what decides where the goal writes
	parent goal.ID
}

const queuedGoalColumns = "id, coalesce(policy ->> 'dir', ''), coalesce(policy ->> 'risk', ''), coalesce(options ->> " +
	"'parent', ''), coalesce(policy ->> 'allow_write', '[]')"

func scanQueuedGoal(r scanner, f *queuedGoal) error {
	return r.Scan(&f.id, &f.policy.Dir, &f.policy.Risk, &f.parent, jsonColumn{&f.policy.AllowWrite})
}

func findQueuedGoal(ctx context.Context, q querier, id goal.ID) (f queuedGoal, err error) {
	err = scanQueuedGoal(q.QueryRowContext(ctx, "SELECT "+queuedGoalColumns+" FROM goals WHERE id = ?", id), &f)
	if errors.Is(err, sql.ErrNoRows) {
		return f, fmt.Errorf("%w: %s", goal.ErrNotFound, id)
	}
	if err != nil {
		return f, fmt.Errorf("queue: %w", err)
	}
	return f, nil
}

// runningGoals lists the other running goals whose owner lives.
func (gq *GoalQueue) runningGoals(ctx context.Context, q querier, id goal.ID) (alive []queuedGoal, err error) {
	running, err := readRows(ctx, q, "queue", scanQueuedGoal,
		"SELECT "+queuedGoalColumns+" FROM goals WHERE status = 'running' AND id <> ?", id)
	if err != nil {
		return nil, err
	}
	for _, f := range running {
		isAlive, err := gq.locks.IsLocked(f.id)
		if err != nil {
			return nil, err
		}
		if isAlive {
			grants, err := gq.approvals.Grants(ctx, f.id)
			if err != nil {
				return nil, err
			}
			f.policy = f.policy.WithGrants(grants)
			alive = append(alive, f)
		}
	}
	return alive, nil
}

// ConflictingWriter names the running goal that writes in a folder, below it or above it; "" if none does.
func (gq *GoalQueue) ConflictingWriter(ctx context.Context, dir string, id goal.ID) (goal.ID, error) {
	running, err := gq.runningGoals(ctx, gq.read, id)
	for _, other := range running {
		if other.policy.WritesOverlap(policy.Policy{Dir: dir}) {
			return other.id, nil
		}
	}
	return "", err
}

// FailedDependency describes a dependency that did not complete, "" if there is none.
func (gq *GoalQueue) FailedDependency(ctx context.Context, id goal.ID) (string, error) {
	_, dependency, err := gq.checkDependencies(ctx, gq.read, id)
	return dependency, err
}

// checkDependencies checks the goals that must be done first. first is one that may still complete, also if it stopped
// and is queued to continue; dependency describes one that did not complete.
func (gq *GoalQueue) checkDependencies(
	ctx context.Context, q querier, id goal.ID,
) (waiting goal.ID, dependency string, err error) {
	after, err := readRows(ctx, q, "queue", func(r scanner, g *GoalRow) error {
		return r.Scan(&g.ID, &g.Status, &g.Exit, &g.Queued)
	}, `SELECT a.value, coalesce(g.status, ''), coalesce(g.exit, ''), coalesce(g.queued, '')
		FROM goals me, json_each(me.options, '$.after') a
		LEFT JOIN goals g ON g.id = a.value WHERE me.id = ?`, id)
	if err != nil {
		return "", "", err
	}
	for _, first := range after {
		queues, err := gq.QueueReason(first)
		if err != nil {
			return "", "", err
		}
		switch {
		case first.Status == goal.Completed:
		case first.Status == "":
			dependency = fmt.Sprintf("goal %s, which must be done first, was deleted", first.ID.Short())
		case first.Status.IsActive() || queues != "":
			waiting = first.ID
		default:
			dependency = fmt.Sprintf("goal %s, which must be done first, ended %s", first.ID.Short(), first.Exit)
		}
	}
	return waiting, dependency, nil
}
