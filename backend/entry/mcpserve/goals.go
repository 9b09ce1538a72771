package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// addGoalTools adds the tools that create, watch and steer goals.
func (se *Server) addGoalTools(l *handlerList) {
	look, act := mcp.Hints{ReadOnly: true}, mcp.Hints{}
	addHandler(l, "create_goal", act, se.createGoal)
	addHandler(l, "list_goals", look, se.listGoals)
	addHandler(l, "get_goal", look, se.getGoal)
	addHandler(l, "wait_for_goal", look, se.waitForGoal)
	addHandler(l, "goal_events", look, se.listEvents)
	addHandler(l, "goal_receipt", look, se.getReceipt)
	addHandler(l, "steer_goal", act, se.steerGoal)
	addHandler(l, "pause_goal", act, se.pauseGoal)
	addHandler(l, "resume_goal", act, se.resumeGoal)
	addHandler(l, "abort_goal", mcp.Hints{Destructive: true}, se.abortGoal)
}

type createGoalArgs struct {
	Objective        string       `json:"objective"`
	CheckShell       string       `json:"check_shell,omitempty"`
	Checks           []goal.Check `json:"checks,omitempty"`
	Any              bool         `json:"any,omitempty"`
	Dir              string       `json:"dir,omitempty"`
	Risk             string       `json:"risk,omitempty"`
	AllowHosts       []string     `json:"allow_hosts,omitempty"`
	Work             []string     `json:"work,omitempty"`
	Worktree         bool         `json:"worktree,omitempty"`
	Protect          []string     `json:"protect,omitempty"`
	MaxIterations    int          `json:"max_iterations,omitempty"`
	WallClockMinutes int          `json:"wall_clock_minutes,omitempty"`
	MaxUSD           float64      `json:"max_usd,omitempty"`
}

type createGoalResult struct {
	GoalID string `json:"goal_id"`
}

func (se *Server) createGoal(ctx context.Context, in createGoalArgs, _ mcp.Progress) (any, error) {
	s := goal.Request{
		Objective: in.Objective,
		Criterion: goal.Criterion{Checks: in.Checks, Any: in.Any},
		Policy: policy.Policy{
			Risk:       policy.Risk(in.Risk),
			AllowHosts: in.AllowHosts,
			DenyHosts:  se.policy.DenyHosts,
			Work:       in.Work,
		},
		Options: goal.Options{Protect: in.Protect, NewWorktree: in.Worktree, OnAsk: "park"},
		Limits:  limitsInput(in.MaxIterations, in.WallClockMinutes, in.MaxUSD),
	}
	if in.CheckShell != "" {
		s.Checks = append(s.Checks, goal.Check{Type: goal.Shell, Command: in.CheckShell})
	}
	if s.Risk == "" {
		s.Risk = policy.WriteLocal
		if s.Risk.Exceeds(se.policy.Risk) {
			s.Risk = se.policy.Risk
		}
	}
	if s.Dir = in.Dir; !filepath.IsAbs(s.Dir) {
		s.Dir = filepath.Join(se.policy.Dir, in.Dir)
	}
	for _, c := range s.Checks { // only the user may choose host and servers
		if c.Where != "" && c.Where != "sandbox" {
			return nil, errors.New("your checks always run in the goal's sandbox: leave out the field where")
		}
	}
	if err := se.validatePolicy(policy.Policy{
		Risk:       s.Risk,
		Dir:        filepath.Clean(s.Dir),
		AllowHosts: s.AllowHosts,
		DenyHosts:  s.DenyHosts,
	}); err != nil {
		return nil, problemError(err)
	}
	if err := goalsandbox.ValidateCheckHosts(se.policy, s.Checks); err != nil {
		return nil, problemError(err)
	}
	if no := se.denialReason("create_goal", tools.CheckEffect(s.Checks)); no != "" {
		return nil, errors.New("your checks would run at once, and that is " + no)
	}
	if err := se.makeGoalDir(s.Dir); err != nil {
		return nil, err
	}
	// Checks the goal again when the folder is used, because a program in a pane may have replaced it by a link.
	id, err := se.deps.Goals.StartAs(ctx, s, func(g *goal.Goal) error {
		g.Origin.Outside = true
		return se.validateGoal(*g)
	})
	if err == nil {
		se.goals.add(id)
	}
	return createGoalResult{string(id)}, problemError(err)
}

// makeGoalDir creates a goal's folder. It follows no link out of the server's folder.
func (se *Server) makeGoalDir(dir string) (err error) {
	rel, err := filepath.Rel(se.policy.Dir, filepath.Clean(dir))
	if err != nil {
		return fmt.Errorf("the folder: %w", err)
	}
	root, err := os.OpenRoot(se.policy.Dir)
	if err != nil {
		return fmt.Errorf("the folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.MkdirAll(rel, 0o755); err != nil {
		return fmt.Errorf("the folder: %w", err)
	}
	return nil
}

// door explains errors to another agent, whose words are the arguments of the tools here.
var door = api.Door{
	Hints: map[string]string{
		"criterion": "change check_shell or checks so that the check runs and fails until the goal is reached, and call " +
			"create_goal again",
		"dir":    "name another folder with dir",
		"work":   "name files and folders of the goal's folder with work",
		"limits": "call resume_goal with a higher max_iterations, wall_clock_minutes or max_usd",
	},
	Other: "tell the user, who can change this in Goalpost's window",
}

// problemError joins an error's message and its hint.
func problemError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(door.Explain(err))
}

type listGoalsArgs struct {
	Status string `json:"status,omitempty"`
	Search string `json:"search,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// listGoalsResult has the newest goals that the other agent may read, and the number of all of them.
type listGoalsResult struct {
	Goals []calls.GoalCard `json:"goals"`
	Total int              `json:"total"`
}

func (se *Server) listGoals(ctx context.Context, in listGoalsArgs, _ mcp.Progress) (any, error) {
	const defaultLimit = 20
	if in.Limit <= 0 {
		in.Limit = defaultLimit
	}
	const all = 1 << 20
	rows, _, err := se.deps.Store.Goals.List(ctx,
		store.Filter{Status: goal.Status(in.Status), Search: in.Search, Limit: all})
	if err != nil {
		return nil, problemError(err)
	}
	readable := map[string]bool{}
	for _, r := range rows {
		readable[string(r.ID)] = se.readDenialError(ctx, r) == nil
	}
	list, err := se.goalAPI(ctx).List(calls.ListInput{Status: in.Status, Search: in.Search, Limit: all})
	out := listGoalsResult{Goals: []calls.GoalCard{}}
	for _, c := range list.Goals {
		if !readable[c.ID] {
			continue
		}
		if out.Total++; len(out.Goals) < in.Limit {
			c.Activity = nil
			out.Goals = append(out.Goals, c)
		}
	}
	return out, problemError(err)
}

type goalArgs struct {
	GoalID string `json:"goal_id"`
}

func (se *Server) getGoal(ctx context.Context, in goalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findReadable(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	view, err := se.goalAPI(ctx).Get(string(row.ID))
	if err != nil {
		return nil, problemError(err)
	}
	view.Activity, view.Marks, view.Asks = nil, nil, 0
	waiting, err := se.waitingApprovals(ctx, row.ID)
	se.approvals.show(row.ID, waiting)
	return goalState{view, waiting}, err
}

func (se *Server) getReceipt(ctx context.Context, in goalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findReadable(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	out, err := se.goalAPI(ctx).Receipt(string(row.ID))
	return out, problemError(err)
}

type goalEventsArgs struct {
	GoalID string `json:"goal_id"`
	After  int64  `json:"after,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

func (se *Server) listEvents(ctx context.Context, in goalEventsArgs, _ mcp.Progress) (any, error) {
	const defaultLimit = 50
	if in.Limit <= 0 {
		in.Limit = defaultLimit
	}
	row, err := se.findReadable(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	out, err := se.goalAPI(ctx).Events(string(row.ID), in.After, in.Limit)
	return out, problemError(err)
}

// findReadable returns a goal that the other agent may read.
func (se *Server) findReadable(ctx context.Context, id string) (store.GoalRow, error) {
	row, err := se.deps.Store.Goals.Find(ctx, id)
	if err != nil {
		return row, problemError(err)
	}
	if err := se.readDenialError(ctx, row); err != nil {
		return row, fmt.Errorf("you may not read the goal %s: %w", row.ID.Short(), problemError(err))
	}
	return row, nil
}

// findOwned returns a goal that the other agent may act on: one that an agent created over MCP. Goals of the user have
// the user's permissions, which notes of another agent could exploit.
func (se *Server) findOwned(ctx context.Context, id string) (store.GoalRow, error) {
	row, err := se.findReadable(ctx, id)
	if err == nil && !row.Origin.Outside {
		err = fmt.Errorf("the goal %s belongs to the user: you may read it, but not steer, pause, resume or end it",
			row.ID.Short())
	}
	return row, err
}

// readDenialError returns why the other agent may not read a goal, nil if it may. It may read goals within the server's
// policy, but not goals of the user with grants or shared panes.
func (se *Server) readDenialError(ctx context.Context, row store.GoalRow) error {
	if err := se.validateGoal(row.Goal); err != nil || row.Origin.Outside {
		return err
	}
	grants, err := se.deps.Store.Approvals.Grants(ctx, row.ID)
	if err != nil {
		return fmt.Errorf("reading the goal's grants: %w", err)
	}
	return outOfBoundsError(row.Options, grants)
}

func outOfBoundsError(o goal.Options, grants []policy.Grant) error {
	if len(o.Panes)+len(grants) == 0 {
		return nil
	}
	return fault.Invalid("policy", "the user shared panes with it or gave it further access", "ask the user about it")
}

// wrapAgentNote makes the order for a note of the other agent. Goals read it as data, not as a user's instruction.
func wrapAgentNote(text string) goal.Order {
	return goal.Order{Kind: goal.OrderNote, Text: text, Request: string(goal.ExternalAgent)}
}

type steerGoalArgs struct {
	GoalID string `json:"goal_id"`
	Text   string `json:"text"`
}

func (se *Server) steerGoal(ctx context.Context, in steerGoalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findOwned(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	return "the note was left", problemError(se.deps.Goals.SteerWith(ctx, row.ID, wrapAgentNote(in.Text)))
}

func (se *Server) pauseGoal(ctx context.Context, in goalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findOwned(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	o := goal.Order{
		Kind:    goal.OrderPause,
		Text:    "an agent outside of this program paused the goal",
		Request: string(goal.ExternalAgent),
	}
	return "it pauses after the call that runs", problemError(se.deps.Goals.PauseWith(ctx, row.ID, o))
}

func (se *Server) abortGoal(ctx context.Context, in goalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findOwned(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	stop := &runner.Stop{
		Exit:   goal.AbortedByUser,
		Reason: "an agent outside of this program aborted the goal",
		By:     goal.ExternalAgent,
	}
	return "aborted", problemError(se.deps.Goals.AbortWith(ctx, row.ID, stop))
}

type resumeGoalArgs struct {
	GoalID           string  `json:"goal_id"`
	Note             string  `json:"note,omitempty"`
	MaxIterations    int     `json:"max_iterations,omitempty"`
	WallClockMinutes int     `json:"wall_clock_minutes,omitempty"`
	MaxUSD           float64 `json:"max_usd,omitempty"`
}

func (se *Server) resumeGoal(ctx context.Context, in resumeGoalArgs, _ mcp.Progress) (any, error) {
	row, err := se.findOwned(ctx, in.GoalID)
	if err != nil {
		return nil, err
	}
	if in.MaxIterations < 0 || in.WallClockMinutes < 0 || in.MaxUSD < 0 {
		return nil, errors.New("a limit is a positive number; leave it out to keep it")
	}
	hasLimit := in.MaxIterations > 0 || in.WallClockMinutes > 0 || in.MaxUSD > 0
	if err := se.goals.validateResume(row, hasLimit); err != nil {
		return nil, err
	}
	if in.Note = strings.TrimSpace(in.Note); in.Note != "" {
		if _, err := se.deps.Goals.Resumption.Resumable(ctx, row.ID); err != nil {
			return nil, problemError(err)
		}
		if err := se.deps.Goals.Runs.AddOrder(ctx, row.ID, wrapAgentNote(in.Note)); err != nil {
			return nil, problemError(err)
		}
	}
	err = se.deps.Goals.Resumption.Resume(ctx, row.ID, api.ResumeInput{
		Limits: limitsInput(in.MaxIterations, in.WallClockMinutes, in.MaxUSD),
	})
	if err == nil {
		se.goals.addResumed(row.ID)
	}
	return "it continues", problemError(err)
}

func limitsInput(iterations, minutes int, usd float64) goal.Limits {
	return goal.Limits{
		Iterations:  iterations,
		WallClockMS: int64(minutes) * time.Minute.Milliseconds(),
		USD:         usd,
	}
}

type waitForGoalArgs struct {
	GoalID         string `json:"goal_id"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty"`
}

// waitForGoal subscribes before it reads, so that it misses no event in between.
func (se *Server) waitForGoal(ctx context.Context, in waitForGoalArgs, progress mcp.Progress) (any, error) {
	const defaultSeconds, maxSeconds, buffer = 60, 3600, 4096
	if in.TimeoutSeconds <= 0 {
		in.TimeoutSeconds = defaultSeconds
	}
	timeout := time.After(time.Duration(min(in.TimeoutSeconds, maxSeconds)) * time.Second)
	sub := se.deps.Broker.SubscribeReliable(buffer)
	defer func() { sub.Close() }()
	for {
		row, err := se.findReadable(ctx, in.GoalID)
		if err != nil {
			return nil, err
		}
		if row.Status != goal.Running && row.Status != goal.Pending {
			return se.getGoal(ctx, goalArgs{string(row.ID)}, progress)
		}
		waiting, err := se.waitingApprovals(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		if se.approvals.show(row.ID, waiting) {
			return se.getGoal(ctx, goalArgs{string(row.ID)}, progress)
		}
		stopped, err := se.followUntilStop(ctx, row.ID, sub, timeout, progress)
		switch {
		case errors.Is(err, errSubscriptionLagged):
			sub.Close()
			sub = se.deps.Broker.SubscribeReliable(buffer)
		case err != nil:
			return nil, err
		case !stopped:
			return se.getGoal(ctx, goalArgs{string(row.ID)}, progress)
		}
	}
}

var errSubscriptionLagged = errors.New("too many events at once")

// followUntilStop reports steps until the goal stops or asks the user. It returns false if the time is over first.
func (se *Server) followUntilStop(
	ctx context.Context, id goal.ID, sub *event.Subscription, timeout <-chan time.Time, progress mcp.Progress,
) (stopped bool, err error) {
	for {
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("waiting: %w", ctx.Err())
		case <-timeout:
			return false, nil
		case e, ok := <-sub.C:
			if !ok {
				return false, errSubscriptionLagged
			}
			if e.GoalID != id {
				continue
			}
			switch b := e.Body.(type) {
			case *event.Step:
				progress(fmt.Sprintf("step %d: %s %s", b.StepID, b.Tool, b.Outcome), float64(b.StepID))
			case *event.Ended, *event.Paused, *event.ApprovalRequested:
				return true, nil
			}
		}
	}
}
