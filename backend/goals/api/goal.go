package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// Goals are the parts of the program that GoalAPI uses. Every method may be called concurrently. All parts are nil if
// goals can only be read.
type Goals struct {
	Starter        GoalStarter
	Intake         GoalIntake
	Suggester      CheckSuggester
	Controller     GoalController
	Resumption     GoalResumption
	ProtectedFiles ProtectedFiles
	Archive        GoalArchive
	Monitor        GoalMonitor
}

// GoalStarter starts goals.
type GoalStarter interface {
	Start(ctx context.Context, in StartInput) (goal.ID, error)
	Demo(ctx context.Context) (goal.ID, error)
}

// GoalIntake answers what the user asks before they start a goal.
type GoalIntake interface {
	Try(ctx context.Context, in TryInput) (TryOutput, error)
	Proposal(dir string) (ProposalView, error)
	Protected(ctx context.Context, in ProtectInput) ([]ProtectedFile, error)
}

// GoalController takes the user's orders to a goal.
type GoalController interface {
	Abort(ctx context.Context, id goal.ID) error
	Pause(ctx context.Context, id goal.ID) error
	Steer(ctx context.Context, id goal.ID, text string) error
}

// GoalResumption continues goals that stopped.
type GoalResumption interface {
	Resume(ctx context.Context, id goal.ID, in ResumeInput) error
	Reopen(ctx context.Context, id goal.ID, in ResumeInput) error
	Accept(ctx context.Context, id goal.ID) error
	Reject(ctx context.Context, id goal.ID, note string) error
}

// ProtectedFiles knows the files that a goal protects.
type ProtectedFiles interface {
	State(ctx context.Context, id goal.ID) (ProtectedState, error)
}

// GoalArchive rechecks goals and deletes them.
type GoalArchive interface {
	Recheck(ctx context.Context, id goal.ID) (RecheckOutput, error)
	Delete(ctx context.Context, id goal.ID) error
	Prune(ctx context.Context, in PruneInput) (int, error)
}

// GoalMonitor reports the panes and the requests of goals.
type GoalMonitor interface {
	PaneIDs(id goal.ID) []string
	Network(id goal.ID) (NetworkView, error)
}

// GoalAPI starts, reads and controls goals. An id may be a unique part of six characters or more.
type GoalAPI struct {
	goals Goals
	store *store.Store
	apiBase
}

// NewGoalAPI makes the API; ctx is the program's life. With no Goals it is read-only.
func NewGoalAPI(ctx context.Context, g Goals, s *store.Store) *GoalAPI {
	return &GoalAPI{goals: g, store: s, apiBase: apiBase{ctx}}
}

// Start creates a goal and starts it.
func (a *GoalAPI) Start(in StartInput) (out StartOutput, err error) {
	defer a.recoverProblem(&err)
	id, err := a.goals.Starter.Start(a.ctx, in)
	return StartOutput{string(id)}, err
}

// Demo starts the built-in demonstration goal.
func (a *GoalAPI) Demo() (out StartOutput, err error) {
	defer a.recoverProblem(&err)
	id, err := a.goals.Starter.Demo(a.ctx)
	return StartOutput{string(id)}, err
}

// Try runs one check as pre-flight would, and creates nothing.
func (a *GoalAPI) Try(in TryInput) (out TryOutput, err error) {
	defer a.recoverProblem(&err)
	return a.goals.Intake.Try(a.ctx, in)
}

// Get reads one goal as the dashboard shows it.
func (a *GoalAPI) Get(id string) (out GoalView, err error) {
	defer a.recoverProblem(&err)
	row, f, err := a.find(id)
	if err != nil {
		return out, err
	}
	var panes []string
	if a.goals.Monitor != nil {
		panes = a.goals.Monitor.PaneIDs(row.ID)
	}
	return goalView(row, f, panes), nil
}

// find reads a goal and its facts.
func (a *GoalAPI) find(id string) (store.GoalRow, goalFacts, error) {
	row, err := a.store.Goals.Find(a.ctx, id)
	if err != nil {
		return row, goalFacts{}, err
	}
	f, err := a.facts(row)
	return row, f, err
}

func (a *GoalAPI) facts(row store.GoalRow) (f goalFacts, err error) {
	var errs [8]error
	f.claims, errs[0] = a.store.History.Claims(a.ctx, row.ID)
	f.reviews, errs[1] = a.store.History.Reviews(a.ctx, row.ID)
	f.todos, errs[2] = a.store.History.Todos(a.ctx, row.ID)
	activity, err := a.store.History.Activity(a.ctx, activitySlices, row.ID)
	f.card.activity, errs[3] = activity[row.ID], err
	f.waits, errs[4] = a.store.Questions.WaitsForManual(a.ctx, row)
	f.card.owner, errs[5] = a.owner(row)
	f.askedPane, errs[6] = a.store.Questions.QuestionPane(a.ctx, row)
	f.card.assurance = assuranceOf(row, f.claims)
	asks, err := a.pendingApprovals(row.ID)
	f.card.asks, errs[7] = asks[row.ID], err
	return f, errors.Join(errs[:]...)
}

// pendingApprovals counts the calls that wait for the user's answer, by goal; id "" means every goal.
func (a *GoalAPI) pendingApprovals(id goal.ID) (map[goal.ID]int, error) {
	open, err := a.store.Approvals.OpenApprovals(a.ctx, id)
	counts := map[goal.ID]int{}
	for _, one := range open {
		if one.Given == nil {
			counts[one.Goal]++
		}
	}
	return counts, err
}

// owner returns the process of a goal. It looks only for goals that a process may have.
func (a *GoalAPI) owner(row store.GoalRow) (store.LockOwner, error) {
	if row.Status == goal.Running || row.Status == goal.Pending || row.Exit.IsParked() ||
		row.Queued != "" {
		return a.store.Locks.LockOwner(row.ID)
	}
	return store.LockOwner{}, nil
}

// Status reads the short state of a goal, nil if there is no such goal.
func (a *GoalAPI) Status(id string) (out *StatusOutput, err error) {
	defer a.recoverProblem(&err)
	row, err := a.store.Goals.Find(a.ctx, id)
	if errors.Is(err, goal.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	steps, err := a.store.History.Steps(a.ctx, row.ID, row.Spent.Steps-1, 1)
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
	rows, total, err := a.store.Goals.List(a.ctx, store.Filter{
		Status: goal.Status(in.Status), Search: in.Search, Limit: in.Limit, Offset: in.Offset, Resumable: in.Resumable,
	})
	if err != nil {
		return out, err
	}
	counts, err := a.store.Goals.Counts(a.ctx)
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
	activity, err := a.store.History.Activity(a.ctx, activitySlices, ids...)
	if err != nil {
		return out, err
	}
	asks, err := a.pendingApprovals("")
	if err != nil {
		return out, err
	}
	proved, err := a.store.History.Assurances(a.ctx, ids...)
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
		list, err := a.store.History.Steps(a.ctx, g.ID, after, clampLimit(limit))
		return StepPage{Steps: viewAll(list, stepRow), Total: g.Spent.Steps, Seq: g.Seq}, err
	})
}

// Step reads one step with all its details.
func (a *GoalAPI) Step(id string, n int) (StepView, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (StepView, error) {
		s, err := a.store.History.Step(a.ctx, g.ID, n)
		if err != nil {
			return StepView{}, err
		}
		out := StepView{StepRow: stepRow(s), Result: s.Result}
		out.Arguments = s.Arguments
		if s.ImageSHA256 == "" {
			return out, addClick(a.ctx, a.store, g.Goal, s, &out)
		}
		image, err := a.store.Artifacts.Artifact(s.ImageSHA256)
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
		list, err := a.store.History.Events(a.ctx, g.ID, after, limit+1)
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
	b, err := a.store.Artifacts.Artifact(sha256)
	if err != nil {
		return "", err
	}
	return text.ToUTF8(string(b)), nil
}

// Receipt reads the verdicts of every claim.
func (a *GoalAPI) Receipt(id string) (out ReceiptView, err error) {
	defer a.recoverProblem(&err)
	row, f, err := a.find(id)
	if err != nil {
		return out, err
	}
	if f.protected, err = a.store.History.Warnings(a.ctx, row.ID, event.AboutProtected); err != nil {
		return out, err
	}
	return buildReceipt(row, f), nil
}

func clampLimit(limit int) int {
	const defaultLimit, maxLimit = 500, 2000
	if limit <= 0 {
		return defaultLimit
	}
	return min(limit, maxLimit)
}
