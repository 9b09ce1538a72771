package lifecycle

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

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/session"
	"goalpost/backend/storage/store"
)

const (
	maxChildren  = 4       // active at once
	maxChildFile = 1 << 20 // bytes that a parent reads of a child's file
)

// childGoals manages the goals that one goal's agent started. All methods may be called concurrently.
type childGoals struct {
	goals  *Service
	parent goal.ID
	above  goal.ID // the parent of parent, "" if it has none

	mu  sync.Mutex
	any bool // there are or were children; without any, the store is not read
}

// ChildrenOf returns access to the children of a goal, whose run begins. Children that were paused with it continue if
// the user has accepted or rejected their results in the meantime.
func (s *Service) ChildrenOf(ctx context.Context, g goal.Goal) (session.Children, error) {
	rows, err := s.store.Goals.Children(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.StoppedBy != g.ID || r.Status != goal.Paused || r.Exit != goal.NeedsUser {
			continue
		}
		if err := s.Recovery.adoptParked(ctx, r.ID); err != nil {
			s.Runs.log.Warn("an answered goal was not continued", "goal", r.ID, "error", err)
		}
	}
	childSpend, err := s.store.Goals.Shared(ctx, g.ID) // includes deleted children
	return &childGoals{
		goals: s, parent: g.ID, above: g.Origin.Parent, any: len(rows) > 0 || childSpend != goal.Spend{},
	}, err
}

// TotalSpend returns what all children have spent so far.
func (c *childGoals) TotalSpend() goal.Spend {
	c.mu.Lock()
	any := c.any
	c.mu.Unlock()
	if !any {
		return goal.Spend{}
	}
	total, err := c.goals.store.Goals.Shared(context.Background(), c.parent)
	if err != nil {
		c.goals.Runs.log.Warn("the spend of children cannot be read", "goal", c.parent, "error", err)
	}
	return total
}

func (c *childGoals) List(ctx context.Context) ([]tools.GoalState, error) {
	rows, err := c.goals.store.Goals.Children(ctx, c.parent)
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
	claims, err := c.goals.store.History.Claims(ctx, r.ID)
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
	open, err := c.goals.store.Approvals.OpenApprovals(ctx, r.ID)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", r.ID.Short(), err)
	}
	var needs []string
	for _, a := range open {
		if a.Given == nil {
			needs = append(needs, fmt.Sprintf("an answer to its request to call %s: %s", a.Tool, a.Why))
		}
	}
	if len(needs) == 0 && r.Status == goal.Paused && r.Exit != goal.Interrupted && !r.Exit.IsParked() &&
		r.StoppedBy != c.parent {
		needs = []string{"it is paused: " + cmp.Or(strings.Join(r.Report[:min(1, len(r.Report))], ""), string(r.Exit))}
	}
	return needs, nil
}

// findChild returns the child whose id ends with part.
func (c *childGoals) findChild(ctx context.Context, part string) (store.GoalRow, error) {
	rows, err := c.goals.store.Goals.Children(ctx, c.parent)
	if err != nil {
		return store.GoalRow{}, fmt.Errorf("goals: %w", err)
	}
	const minLength = 6
	for _, r := range rows {
		if len(part) >= minLength && strings.HasSuffix(string(r.ID), part) {
			return r, nil
		}
	}
	return store.GoalRow{}, fmt.Errorf("you did not start a goal %q; goal_status lists your goals", part)
}

func (c *childGoals) Wait(ctx context.Context, part string, wait time.Duration) (tools.GoalState, error) {
	r, err := c.findChild(ctx, part)
	if err != nil {
		return tools.GoalState{}, err
	}
	if err := c.resumeOne(ctx, r); err != nil {
		return tools.GoalState{}, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-c.goals.Runs.runner.Done(r.ID):
	case <-timer.C:
	case <-session.PauseSignal(ctx):
	case <-ctx.Done():
		return tools.GoalState{}, fmt.Errorf("waiting for goal %s: %w", r.ID.Short(), ctx.Err())
	}
	if r, err = c.goals.store.Goals.Get(ctx, r.ID); err != nil {
		return tools.GoalState{}, fmt.Errorf("goal: %w", err)
	}
	return c.state(ctx, r)
}

// resumeOne resumes a child that stopped with its parent or because its process ended. A child that waited to be
// resumed or reopened enters the queue again.
func (c *childGoals) resumeOne(ctx context.Context, r store.GoalRow) (err error) {
	ours := r.StoppedBy == c.parent
	switch {
	// does nothing if a process has it: then its countdown continues, or its wait in the queue
	case isParked(r), ours && r.Status == goal.Pending:
		return c.goals.Recovery.adoptParked(ctx, r.ID)
	case ours && r.Status == goal.Completed:
		err = c.goals.Resumption.retryReopen(ctx, r.ID)
	case ours, r.Status == goal.Paused && r.Exit == goal.Interrupted:
		err = c.goals.Resumption.Resume(ctx, r.ID, api.ResumeInput{})
	}
	if api.IsConflict(err) || errors.Is(err, store.ErrGoalLocked) { // another process already has it
		return nil
	}
	return err
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
	// A program of the child may have put a pipe there without a writer, and opening it must not block.
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
		isActive, err := c.goals.Runs.isActive(r)
		if err != nil {
			return err
		}
		if !isActive && r.StoppedBy != c.parent {
			return fmt.Errorf("goal %s is already %s", r.ID.Short(), r.Status)
		}
		id = r.ID
	}
	if id == "" {
		return errors.New("this goal has no parent")
	}
	return c.goals.Runs.AddOrder(ctx, id, goal.Order{Kind: goal.OrderNote, Text: text, Request: string(c.parent)})
}

// FollowParent pauses the children if their parent pauses, and ends them if it ends.
func (c *childGoals) FollowParent(ctx context.Context, exit goal.Exit) error {
	c.mu.Lock()
	any := c.any
	c.mu.Unlock()
	// A process that is closing interrupts each of them itself. A parent that waits for a condition may wait for them.
	if !any || exit == goal.Interrupted || exit == goal.WaitingForCondition {
		return nil
	}
	if goal.StatusForExit(exit) != goal.Paused {
		return c.goals.endChildren(ctx, c.parent)
	}
	rows, err := c.goals.store.Goals.Children(ctx, c.parent)
	for _, r := range rows {
		err = errors.Join(err, c.stopForParent(ctx, r))
	}
	return err
}

// stopForParent pauses a child that runs or would continue automatically. A parked child stays parked, but no longer
// continues automatically.
func (c *childGoals) stopForParent(ctx context.Context, r store.GoalRow) error {
	stop := &runner.Stop{Exit: goal.PausedByUser, Reason: "the goal that started this one is paused", By: c.parent}
	if c.goals.Runs.runner.Cancel(r.ID, stop) {
		return nil
	}
	owned, err := c.goals.store.Locks.IsLocked(r.ID) // otherwise only its next run would read the order
	if err != nil || !owned || r.Queued == "" && !isParked(r) && r.Status != goal.Running && r.Status != goal.Pending {
		return err
	}
	return c.goals.Runs.AddOrder(ctx, r.ID,
		goal.Order{Kind: goal.OrderPause, Text: stop.Reason, Request: string(c.parent)})
}

// Start starts a child. Its policy allows at most what the parent's policy does. Its limits are a share of what the
// parent and the other children have left.
func (c *childGoals) Start(ctx context.Context, child tools.Child) (goal.ID, error) {
	if c.above != "" {
		return "", errors.New("this goal was started by another goal and cannot start more")
	}
	c.mu.Lock() // two at once would share the same remainder
	defer c.mu.Unlock()
	parent, err := c.goals.store.Goals.Get(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	rows, err := c.goals.store.Goals.Children(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	live := 0
	for _, r := range rows {
		if r.Status.IsActive() {
			live++
		}
	}
	if live >= maxChildren {
		return "", fmt.Errorf("%d of your goals are already active; wait for one of them to end", live)
	}
	childSpend, err := c.goals.store.Goals.Shared(ctx, c.parent)
	if err != nil {
		return "", fmt.Errorf("start goal: %w", err)
	}
	limits, err := shareLimits(parent.Goal, childSpend, rows, child.Share)
	if err != nil {
		return "", err
	}
	in := goal.Request{
		Objective: child.Objective,
		Criterion: goal.Criterion{Checks: child.Checks},
		Provider:  parent.Provider,
		Model:     parent.Model,
		Options: goal.Options{
			OnAsk:       parent.Options.OnAsk,
			Persona:     childPersona(parent.Goal),
			Effort:      parent.Options.Effort,
			CriticEvery: parent.Options.CriticEvery,
			Critic:      parent.Options.Critic,
			Judge:       parent.Options.Judge,
			Reviewer:    parent.Options.Reviewer,
			Vision:      parent.Options.Vision,
			Summary:     parent.Options.Summary,
		},
	}
	if in.CriticEvery == 0 {
		in.CriticEvery = goal.NoLimit
	}
	if child.ReadOnly {
		in.Dir = parent.Policy.Dir
	}
	id, err := c.goals.StartAs(ctx, in, func(g *goal.Goal) error {
		g.Limits, g.Origin.Parent, g.Origin.Outside = limits, c.parent, parent.Origin.Outside
		if err := restrictPolicy(&g.Policy, parent.Policy, child); err != nil {
			return err
		}
		return goalsandbox.ValidateCheckHosts(g.Policy, g.Criterion.Checks)
	})
	c.any = c.any || err == nil
	return id, err
}

// restrictPolicy sets a policy that allows no more than the parent's.
func restrictPolicy(p *policy.Policy, parent policy.Policy, child tools.Child) error {
	dir := p.Dir
	*p = parent
	p.Dir = dir
	p.DenyTools = append(append([]string{}, parent.DenyTools...), child.DenyTools...)
	p.AllowWrite, p.AllowSocket, p.Secrets = nil, nil, nil // the user granted these to the parent only
	// The child writes only its own folder, or nothing. The parent's agent wrote its checks, so they need no check folder.
	p.Work, p.CheckDir = nil, ""
	if parent.CheckDir != "" {
		p.Hidden = append(append([]string{}, parent.Hidden...), parent.CheckDir)
	}
	switch {
	case child.ReadOnly:
		p.Risk = policy.ReadOnly
	case child.Risk == "":
	case child.Risk.Exceeds(parent.Risk):
		return fmt.Errorf("you may do at most %s, so it cannot have %s", parent.Risk, child.Risk)
	default:
		p.Risk = child.Risk
	}
	if !child.ReadOnly {
		p.AllowRead = append(append([]string{}, parent.AllowRead...), parent.Dir)
	}
	return nil
}

// shareLimits returns percent of what is left of the parent's limits, assuming that every child uses up its own
// limits. childSpend is what all children have spent so far.
func shareLimits(parent goal.Goal, childSpend goal.Spend, rows []store.GoalRow, percent int) (goal.Limits, error) {
	total := childSpend
	for _, r := range rows {
		if n := r.Spent; r.Status.IsActive() { // add what it may still spend
			total = total.Add(goal.Spend{
				Iterations: max(0, r.Limits.Iterations-n.Iterations),
				USD:        max(0, r.Limits.USD-n.USD),
				TokensIn:   max(0, r.Limits.Tokens-n.TokensIn-n.TokensOut),
			})
		}
	}
	spend, l, share := parent.Spent.Add(total), parent.Limits, float64(percent)/100
	out := goal.Limits{ClaimsPerCheck: l.ClaimsPerCheck}
	none := func(what string) (goal.Limits, error) {
		return out, fmt.Errorf("too little is left of your limit of %s to share it", what)
	}
	if l.Iterations > 0 {
		if out.Iterations = int(float64(l.Iterations-spend.Iterations) * share); out.Iterations < 1 {
			return none("turns")
		}
	}
	if l.Tokens > 0 {
		if out.Tokens = int64(float64(l.Tokens-spend.TokensIn-spend.TokensOut) * share); out.Tokens < 1 {
			return none("tokens")
		}
	}
	if l.USD > 0 {
		if out.USD = (l.USD - spend.USD) * share; out.USD <= 0 {
			return none("money")
		}
	}
	if l.WallClock() > 0 { // children run in parallel, so they do not use up each other's time
		timeLeft := time.Duration(float64(l.WallClock()-parent.Spent.WallClock) * share).Round(time.Second)
		if timeLeft < time.Second {
			return none("time")
		}
		out.WallClockMS = timeLeft.Milliseconds()
	}
	return out, nil
}
