package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// Goals is the interface of GoalAPI to the program. Every method may be called concurrently.
type Goals interface {
	GoalStarter
	CheckSuggester
	GoalController
	GoalArchive
	GoalMonitor
}

// GoalStarter starts goals, and answers what the user asks before they start one.
type GoalStarter interface {
	Start(ctx context.Context, in StartInput) (goal.ID, error)
	Demo(ctx context.Context) (goal.ID, error)
	Try(ctx context.Context, in TryInput) (TryOutput, error)
	Proposal(dir string) (ProposalView, error)
	Protected(ctx context.Context, in ProtectInput) ([]ProtectedFile, error)
}

// GoalController takes the user's orders to a goal.
type GoalController interface {
	Abort(ctx context.Context, id goal.ID) error
	Pause(ctx context.Context, id goal.ID) error
	Resume(ctx context.Context, id goal.ID, in ResumeInput) error
	Reopen(ctx context.Context, id goal.ID, in ResumeInput) error
	Accept(ctx context.Context, id goal.ID) error
	Reject(ctx context.Context, id goal.ID, note string) error
	Steer(ctx context.Context, id goal.ID, text string) error
}

// GoalArchive checks goals that have ended again, and deletes them.
type GoalArchive interface {
	Recheck(ctx context.Context, id goal.ID) (RecheckOutput, error)
	Delete(ctx context.Context, id goal.ID) error
	Prune(ctx context.Context, in PruneInput) (int, error)
}

// GoalMonitor knows what a goal has open and what it contacted.
type GoalMonitor interface {
	PaneIDs(id goal.ID) []string
	Network(id goal.ID) (NetworkView, error)
	ProtectedState(ctx context.Context, id goal.ID) (ProtectedState, error)
}

// GoalAPI is for goals. An id may be a unique part of six characters or more.
type GoalAPI struct {
	starter    GoalStarter
	suggester  CheckSuggester
	controller GoalController
	archive    GoalArchive
	monitor    GoalMonitor // nil where goals can only be read
	store      *store.Store
	apiBase
}

// NewGoalAPI makes the API; ctx is the program's life. Without Goals it is read-only.
func NewGoalAPI(ctx context.Context, g Goals, s *store.Store) *GoalAPI {
	return &GoalAPI{starter: g, suggester: g, controller: g, archive: g, monitor: g, store: s, apiBase: apiBase{ctx}}
}

// Start creates a goal and starts it.
func (a *GoalAPI) Start(in StartInput) (out StartOutput, err error) {
	defer a.recoverProblem(&err)
	id, err := a.starter.Start(a.ctx, in)
	return StartOutput{string(id)}, err
}

// Demo starts the built-in demonstration goal.
func (a *GoalAPI) Demo() (out StartOutput, err error) {
	defer a.recoverProblem(&err)
	id, err := a.starter.Demo(a.ctx)
	return StartOutput{string(id)}, err
}

// Try runs one check as pre-flight would, and creates nothing.
func (a *GoalAPI) Try(in TryInput) (out TryOutput, err error) {
	defer a.recoverProblem(&err)
	return a.starter.Try(a.ctx, in)
}

// Get reads one goal as the dashboard shows it.
func (a *GoalAPI) Get(id string) (out GoalView, err error) {
	defer a.recoverProblem(&err)
	row, f, err := a.find(id)
	if err != nil {
		return out, err
	}
	var panes []string
	if a.monitor != nil {
		panes = a.monitor.PaneIDs(row.ID)
	}
	return goalView(row, f, panes), nil
}

// find reads a goal with what the store knows about it.
func (a *GoalAPI) find(id string) (store.GoalRow, goalFacts, error) {
	row, err := a.store.Find(a.ctx, id)
	if err != nil {
		return row, goalFacts{}, err
	}
	f, err := a.facts(row)
	return row, f, err
}

func (a *GoalAPI) facts(row store.GoalRow) (f goalFacts, err error) {
	var errs [8]error
	f.claims, errs[0] = a.store.Claims(a.ctx, row.ID)
	f.opinions, errs[1] = a.store.Reviews(a.ctx, row.ID)
	f.todos, errs[2] = a.store.Todos(a.ctx, row.ID)
	activity, err := a.store.Activity(a.ctx, activitySlices, row.ID)
	f.card.activity, errs[3] = activity[row.ID], err
	f.waits, errs[4] = a.store.WaitsForManual(a.ctx, row)
	f.card.owner, errs[5] = a.owner(row)
	f.askedPane, errs[6] = a.store.QuestionPane(a.ctx, row)
	f.card.assurance = assuranceOf(row, f.claims)
	asks, err := a.pendingApprovals(row.ID)
	f.card.asks, errs[7] = asks[row.ID], err
	return f, errors.Join(errs[:]...)
}

// pendingApprovals counts the calls that wait for an answer of the user, by goal; id "" means every goal.
func (a *GoalAPI) pendingApprovals(id goal.ID) (map[goal.ID]int, error) {
	open, err := a.store.OpenApprovals(a.ctx, id)
	counts := map[goal.ID]int{}
	for _, one := range open {
		if one.Given == nil {
			counts[one.Goal]++
		}
	}
	return counts, err
}

// owner looks up the owner only for goals that a process may have.
func (a *GoalAPI) owner(row store.GoalRow) (store.LockOwner, error) {
	if row.Status == goal.Running || row.Status == goal.Pending || row.Exit.IsParked() ||
		row.Queued != "" {
		return a.store.LockOwner(row.ID)
	}
	return store.LockOwner{}, nil
}

// Status is the short state of a goal, nil if there is none.
func (a *GoalAPI) Status(id string) (out *StatusOutput, err error) {
	defer a.recoverProblem(&err)
	row, err := a.store.Find(a.ctx, id)
	if errors.Is(err, goal.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	steps, err := a.store.Steps(a.ctx, row.ID, row.Spent.Steps-1, 1)
	if err != nil {
		return nil, err
	}
	out = &StatusOutput{Status: row.Status, Exit: row.Exit, Step: row.Spent.Steps}
	if len(steps) > 0 {
		out.LastStep = steps[0].Tool
	}
	return out, nil
}

// List reads a page of goals, newest first.
func (a *GoalAPI) List(in ListInput) (out GoalList, err error) {
	defer a.recoverProblem(&err)
	rows, total, err := a.store.List(a.ctx, store.Filter{
		Status: goal.Status(in.Status), Search: in.Search, Limit: in.Limit, Offset: in.Offset, Resumable: in.Resumable,
	})
	if err != nil {
		return out, err
	}
	counts, err := a.store.Counts(a.ctx)
	if err != nil {
		return out, err
	}
	out = GoalList{Goals: []GoalCard{}, Total: total, Counts: map[string]int{}}
	for s, n := range counts {
		out.Counts[string(s)] = n
	}
	ids := make([]goal.ID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	activity, err := a.store.Activity(a.ctx, activitySlices, ids...)
	if err != nil {
		return out, err
	}
	asks, err := a.pendingApprovals("")
	if err != nil {
		return out, err
	}
	proved, err := a.store.Assurances(a.ctx, ids...)
	if err != nil {
		return out, err
	}
	for _, row := range rows {
		owner, err := a.owner(row)
		if err != nil {
			return out, err
		}
		out.Goals = append(out.Goals, goalCard(row, cardFacts{activity[row.ID], asks[row.ID], proved[row.ID], owner}))
	}
	return out, nil
}

// Steps reads a page of the step log after the given number.
func (a *GoalAPI) Steps(id string, after, limit int) (StepPage, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (StepPage, error) {
		list, err := a.store.Steps(a.ctx, g.ID, after, clampLimit(limit))
		return StepPage{Steps: viewAll(list, stepRow), Total: g.Spent.Steps, Seq: g.Seq}, err
	})
}

// Step reads one step with all its details.
func (a *GoalAPI) Step(id string, n int) (StepView, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (StepView, error) {
		s, err := a.store.Step(a.ctx, g.ID, n)
		if err != nil {
			return StepView{}, err
		}
		out := StepView{StepRow: stepRow(s), Result: s.Result}
		out.Arguments = s.Arguments
		if s.ImageSHA256 == "" {
			return out, a.addClick(g.Goal, s, &out)
		}
		image, err := a.store.Artifact(s.ImageSHA256)
		if err != nil {
			return out, err
		}
		out.Image = "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image)
		return out, nil
	})
}

// Events reads a page of a goal's journal after the given seq.
func (a *GoalAPI) Events(id string, after int64, limit int) (EventPage, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (EventPage, error) {
		limit := clampLimit(limit)
		list, err := a.store.Events(a.ctx, g.ID, after, limit+1)
		out := EventPage{Events: []json.RawMessage{}, More: len(list) > limit}
		for _, ev := range list[:min(limit, len(list))] {
			raw, err := json.Marshal(ev)
			if err != nil {
				return out, fmt.Errorf("event %d: %w", ev.Seq, err)
			}
			out.Events = append(out.Events, raw)
		}
		return out, err
	})
}

// Output reads the whole stored output of a check, by its hash.
func (a *GoalAPI) Output(sha256 string) (out string, err error) {
	defer a.recoverProblem(&err)
	b, err := a.store.Artifact(sha256)
	if err != nil {
		return "", err
	}
	return sanitizeOutput(b), nil
}

// Receipt reads the verdicts of every claim.
func (a *GoalAPI) Receipt(id string) (out ReceiptView, err error) {
	defer a.recoverProblem(&err)
	row, f, err := a.find(id)
	if err != nil {
		return out, err
	}
	if f.protected, err = a.store.Warnings(a.ctx, row.ID, event.AboutProtected); err != nil {
		return out, err
	}
	return buildReceipt(row, f), nil
}

func clampLimit(limit int) int {
	const usual, most = 500, 2000
	if limit <= 0 {
		return usual
	}
	return min(limit, most)
}
