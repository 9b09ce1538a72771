package goals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/app/session"
	"goalpost/backend/goal"
	"goalpost/backend/runner"
	"goalpost/backend/store"
	"goalpost/backend/tools"
)

const (
	maxChildren  = 4 // that are active at once
	maxChildFile = 1 << 20
)

// childGoals are the goals that one goal's agent started. All methods may be called concurrently.
type childGoals struct {
	goals  *Service
	parent goal.ID
	above  goal.ID // the parent of parent, "" if it has none

	mu  sync.Mutex
	any bool // there are or were children; otherwise the store need not be asked
}

func (s *Service) ChildrenOf(ctx context.Context, g goal.Goal) (session.Children, error) {
	rows, err := s.store.Children(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	shared, err := s.store.Shared(ctx, g.ID) // includes deleted children
	return &childGoals{goals: s, parent: g.ID, above: g.Options.Parent, any: len(rows) > 0 || shared != goal.Spend{}}, err
}

// TotalSpend returns what all children have spent so far.
func (c *childGoals) TotalSpend() goal.Spend {
	c.mu.Lock()
	any := c.any
	c.mu.Unlock()
	if !any {
		return goal.Spend{}
	}
	total, err := c.goals.store.Shared(context.Background(), c.parent)
	if err != nil {
		c.goals.log.Warn("what the children spent", "goal", c.parent, "error", err)
	}
	return total
}

func (c *childGoals) List(ctx context.Context) ([]tools.GoalState, error) {
	rows, err := c.goals.store.Children(ctx, c.parent)
	if err != nil {
		return nil, fmt.Errorf("goals: %w", err)
	}
	list := make([]tools.GoalState, 0, len(rows))
	for _, r := range rows {
		s, err := c.state(ctx, r)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (c *childGoals) state(ctx context.Context, r store.GoalRow) (tools.GoalState, error) {
	s := tools.GoalState{
		ID:        r.ID,
		Objective: r.Objective,
		Status:    r.Status,
		Exit:      r.Exit,
		Verified:  r.Verified,
		Spent:     r.Spent,
		Limits:    r.Limits,
		Report:    r.Report,
		Checks:    fmt.Sprintf("%d/%d", r.ChecksPassed, len(r.Criterion.Checks)),
	}
	claims, err := c.goals.store.Claims(ctx, r.ID)
	if err != nil {
		return s, fmt.Errorf("goal %s: %w", r.ID.Short(), err)
	}
	if n := len(claims); n > 0 {
		s.Result = claims[n-1].Result
	}
	s.Needs, err = c.pendingInput(ctx, r)
	return s, err
}

// pendingInput lists what a child needs from the user.
func (c *childGoals) pendingInput(ctx context.Context, r store.GoalRow) ([]string, error) {
	open, err := c.goals.store.OpenApprovals(ctx, r.ID)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", r.ID.Short(), err)
	}
	var needs []string
	for _, a := range open {
		if a.Given == nil {
			needs = append(needs, fmt.Sprintf("an answer whether it may call %s: %s", a.Tool, a.Why))
		}
	}
	if len(needs) == 0 && r.Status == goal.Paused && r.Exit != goal.Interrupted && r.Exit != goal.WaitingForProvider &&
		r.StoppedBy != c.parent {
		needs = []string{"it is paused: " + cmp.Or(strings.Join(r.Report[:min(1, len(r.Report))], ""), string(r.Exit))}
	}
	return needs, nil
}

// findChild returns the child whose id ends with part.
func (c *childGoals) findChild(ctx context.Context, part string) (store.GoalRow, error) {
	rows, err := c.goals.store.Children(ctx, c.parent)
	if err != nil {
		return store.GoalRow{}, fmt.Errorf("goals: %w", err)
	}
	const enough = 6
	for _, r := range rows {
		if len(part) >= enough && strings.HasSuffix(string(r.ID), part) {
			return r, nil
		}
	}
	return store.GoalRow{}, fmt.Errorf("you have started no goal %q; goal_status lists them", part)
}

func (c *childGoals) Wait(ctx context.Context, part string, wait time.Duration) (tools.GoalState, error) {
	r, err := c.findChild(ctx, part)
	if err != nil {
		return tools.GoalState{}, err
	}
	if err := c.resumeOne(ctx, r); err != nil {
		return tools.GoalState{}, err
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case <-c.goals.runner.Done(r.ID):
	case <-late.C:
	case <-session.PauseSignal(ctx):
	case <-ctx.Done():
		return tools.GoalState{}, fmt.Errorf("waiting for goal %s: %w", r.ID.Short(), ctx.Err())
	}
	if r, err = c.goals.store.Goal(ctx, r.ID); err != nil {
		return tools.GoalState{}, fmt.Errorf("goal: %w", err)
	}
	return c.state(ctx, r)
}

// resumeOne resumes a child that was stopped with its parent or by the end of a process, and requeues one that
// was waiting to be resumed or reopened.
func (c *childGoals) resumeOne(ctx context.Context, r store.GoalRow) (err error) {
	ours := r.StoppedBy == c.parent
	switch {
	// its countdown or its place in the queue continues, if a process has it
	case isParked(r), ours && r.Status == goal.Pending:
		return c.goals.adoptParked(ctx, r.ID)
	case ours && r.Status == goal.Completed:
		err = c.goals.retryReopen(ctx, r.ID)
	case ours, r.Status == goal.Paused && r.Exit == goal.Interrupted:
		err = c.goals.Resume(ctx, r.ID, api.ResumeInput{})
	}
	if api.IsConflict(err) || errors.Is(err, store.ErrGoalLocked) { // somebody else was quicker
		return nil
	}
	return err
}

func isParked(r store.GoalRow) bool {
	return r.Status == goal.Paused && r.Exit == goal.WaitingForProvider
}

// File reads a file of a child's folder through an os.Root, so that no link leads out of it.
func (c *childGoals) File(ctx context.Context, part, path string) ([]byte, error) {
	r, err := c.findChild(ctx, part)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.Policy.Dir)
	if err != nil {
		return nil, fmt.Errorf("its folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	// A program of the child may put a pipe there that nobody writes to; opening it must not block.
	f, err := root.OpenFile(filepath.Clean(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("its file: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("its file: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, maxChildFile)) //nolint:wrapcheck // it says read and the path
}

func (c *childGoals) Share(ctx context.Context, to, text string) error {
	id := c.above
	if to != "parent" {
		r, err := c.findChild(ctx, to)
		if err != nil {
			return err
		}
		lives, err := c.goals.isActive(r)
		if err != nil {
			return err
		}
		if !lives && r.StoppedBy != c.parent {
			return fmt.Errorf("goal %s is %s already", r.ID.Short(), r.Status)
		}
		id = r.ID
	}
	if id == "" {
		return errors.New("no goal started this one")
	}
	return c.goals.AddOrder(ctx, id, goal.Order{Kind: goal.OrderNote, Text: text, Request: string(c.parent)})
}

// FollowParent stops the children as their parent stops: they pause when it pauses and end when it ends.
func (c *childGoals) FollowParent(ctx context.Context, exit goal.Exit) error {
	c.mu.Lock()
	any := c.any
	c.mu.Unlock()
	if !any || exit == goal.Interrupted { // this process closes and interrupts each of them itself
		return nil
	}
	if goal.StatusForExit(exit) != goal.Paused {
		return c.goals.endChildren(ctx, c.parent)
	}
	rows, err := c.goals.store.Children(ctx, c.parent)
	for _, r := range rows {
		err = errors.Join(err, c.stopForParent(ctx, r))
	}
	return err
}

// stopForParent pauses a child that runs or could continue on its own. A parked child stays parked, but no
// longer continues automatically.
func (c *childGoals) stopForParent(ctx context.Context, r store.GoalRow) error {
	stop := &runner.Stop{Exit: goal.PausedByUser, Reason: "the goal that started this one is paused", By: c.parent}
	if c.goals.runner.Cancel(r.ID, stop) {
		return nil
	}
	owned, err := c.goals.store.IsLocked(r.ID) // a process runs it; otherwise only its next run would read the order
	if err != nil || !owned || r.Queued == "" && !isParked(r) && r.Status != goal.Running && r.Status != goal.Pending {
		return err
	}
	return c.goals.AddOrder(ctx, r.ID, goal.Order{Kind: goal.OrderPause, Text: stop.Reason, Request: string(c.parent)})
}

// endChildren aborts every child of a goal that has not ended or waits to be reopened.
func (s *Service) endChildren(ctx context.Context, id goal.ID) error {
	rows, err := s.store.Children(ctx, id)
	stop := &runner.Stop{Exit: goal.AbortedByUser, Reason: "the goal that started this one has ended"}
	for _, r := range rows {
		lives, e := s.isActive(r)
		err = errors.Join(err, e)
		if !lives {
			continue
		}
		if s.runner.Cancel(r.ID, stop) {
			select {
			case <-s.runner.Done(r.ID):
			case <-ctx.Done():
				return fmt.Errorf("ending goal %s: %w", r.ID.Short(), ctx.Err())
			}
			if r, again := s.store.Goal(ctx, r.ID); again != nil || !r.Status.IsActive() {
				continue
			}
		}
		if e := s.abortHere(ctx, r.ID, stop); e != nil && !api.IsConflict(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}
