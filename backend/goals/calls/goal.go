// Package calls has the methods that the page can call, in one struct for each area. The window binds the structs, and
// serve exposes them over an authenticated socket; the command line uses them, too. Panics and errors reach the caller
// as a fault.Error.
package calls

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// GoalAPI starts, reads and controls goals. An id may be a unique part of six characters or more.
type GoalAPI struct {
	goals *lifecycle.Service
	store *store.Store
	apiBase
}

// NewGoalAPI makes the API; ctx is the program's life. Without a service it only reads what is stored.
func NewGoalAPI(ctx context.Context, g *lifecycle.Service, s *store.Store) *GoalAPI {
	return &GoalAPI{goals: g, store: s, apiBase: apiBase{ctx}}
}

// Start creates a goal and starts it.
func (ga *GoalAPI) Start(in goal.Request) (out api.StartOutput, err error) {
	defer ga.recoverProblem(&err)
	id, err := ga.goals.Start(ga.ctx, in)
	return api.StartOutput{GoalID: string(id)}, err
}

// Demo starts the built-in demonstration goal.
func (ga *GoalAPI) Demo() (out api.StartOutput, err error) {
	defer ga.recoverProblem(&err)
	id, err := ga.goals.Demo(ga.ctx)
	return api.StartOutput{GoalID: string(id)}, err
}

// Try runs one check as pre-flight would, and creates nothing.
func (ga *GoalAPI) Try(in api.TryInput) (out api.TryOutput, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Try(ga.ctx, in)
}

// Get reads one goal as the dashboard shows it.
func (ga *GoalAPI) Get(id string) (out GoalView, err error) {
	defer ga.recoverProblem(&err)
	row, f, err := ga.find(id)
	if err != nil {
		return out, err
	}
	var panes []string
	if ga.goals != nil {
		panes = ga.goals.PaneIDs(row.ID)
	}
	return goalView(row, f, panes), nil
}

// find reads a goal and its facts.
func (ga *GoalAPI) find(id string) (store.GoalRow, goalFacts, error) {
	row, err := ga.store.Goals.Find(ga.ctx, id)
	if err != nil {
		return row, goalFacts{}, err
	}
	f, err := ga.facts(row)
	return row, f, err
}

func (ga *GoalAPI) facts(row store.GoalRow) (f goalFacts, err error) {
	var errs [10]error
	f.claims, errs[0] = ga.store.History.Claims(ga.ctx, row.ID)
	f.reviews, errs[1] = ga.store.History.Reviews(ga.ctx, row.ID)
	f.todos, f.notes, errs[2] = ga.store.History.Plan(ga.ctx, row.ID)
	activity, err := ga.store.History.Activity(ga.ctx, activitySlices, row.ID)
	f.card.activity, errs[3] = activity[row.ID], err
	f.waits, errs[4] = ga.store.Questions.WaitsForManual(ga.ctx, row)
	f.card.owner, errs[5] = ga.owner(row)
	f.subject, errs[6] = ga.store.Questions.Subject(ga.ctx, row)
	asks, err := ga.pendingApprovals(row.ID)
	f.card.asks, errs[7] = asks[row.ID], err
	f.card.parked, errs[9] = ga.parkedSince(row)
	if row.Exit == goal.Done {
		proofs, err := ga.store.History.Proofs(ga.ctx, row.ID)
		f.card.proof, errs[8] = proofs[row.ID], err
	}
	return f, errors.Join(errs[:]...)
}

// pendingApprovals counts the calls that wait for the user's answer, by goal; id "" means every goal.
func (ga *GoalAPI) pendingApprovals(id goal.ID) (map[goal.ID]int, error) {
	open, err := ga.store.Approvals.OpenApprovals(ga.ctx, id)
	counts := map[goal.ID]int{}
	for _, one := range open {
		if one.Given == nil {
			counts[one.Goal]++
		}
	}
	return counts, err
}

// owner returns the process of a goal, 0 if none has it. It looks only for goals that a process may have.
func (ga *GoalAPI) owner(row store.GoalRow) (pid int, err error) {
	if row.Status == goal.Running || row.Status == goal.Pending || row.Exit.IsParked() ||
		row.Queued != "" {
		return ga.store.Locks.LockOwner(row.ID)
	}
	return 0, nil
}

// parkedSince returns since when a goal waits for its model, the zero time if it does not.
func (ga *GoalAPI) parkedSince(row store.GoalRow) (since time.Time, err error) {
	if row.Exit == goal.WaitingForProvider {
		_, since, err = ga.store.History.ParkedInARow(ga.ctx, row.ID)
	}
	return since, err
}

// Status reads the short state of a goal, nil if there is no such goal.
func (ga *GoalAPI) Status(id string) (out *StatusOutput, err error) {
	defer ga.recoverProblem(&err)
	row, err := ga.store.Goals.Find(ga.ctx, id)
	if errors.Is(err, goal.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	steps, err := ga.store.History.Steps(ga.ctx, row.ID, row.Spent.Steps-1, 1)
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
func (ga *GoalAPI) List(in ListInput) (out GoalList, err error) {
	defer ga.recoverProblem(&err)
	return ga.list(store.Filter{
		Status: goal.Status(in.Status), Search: in.Search, Limit: in.Limit, Offset: in.Offset, Resumable: in.Resumable,
	})
}

func (ga *GoalAPI) list(f store.Filter) (out GoalList, err error) {
	rows, total, err := ga.store.Goals.List(ga.ctx, f)
	if err != nil {
		return out, err
	}
	counts, err := ga.store.Goals.Counts(ga.ctx)
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
	activity, err := ga.store.History.Activity(ga.ctx, activitySlices, ids...)
	if err != nil {
		return out, err
	}
	asks, err := ga.pendingApprovals("")
	if err != nil {
		return out, err
	}
	proofs, err := ga.store.History.Proofs(ga.ctx, ids...)
	if err != nil {
		return out, err
	}
	for _, row := range rows {
		owner, err := ga.owner(row)
		if err != nil {
			return out, err
		}
		since, err := ga.parkedSince(row)
		if err != nil {
			return out, err
		}
		facts := cardFacts{activity[row.ID], asks[row.ID], proofs[row.ID], owner, since}
		out.Goals = append(out.Goals, goalCard(row, facts))
	}
	return out, nil
}

// Steps reads a page of the step log after the given number.
func (ga *GoalAPI) Steps(id string, after, limit int) (StepPage, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (StepPage, error) {
		list, err := ga.store.History.Steps(ga.ctx, g.ID, after, clampLimit(limit))
		return StepPage{Steps: viewAll(list, stepRow), Total: g.Spent.Steps, Seq: g.Seq}, err
	})
}

// Step reads one step with all its details.
func (ga *GoalAPI) Step(id string, n int) (StepView, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (StepView, error) {
		s, err := ga.store.History.Step(ga.ctx, g.ID, n)
		if err != nil {
			return StepView{}, err
		}
		out := StepView{StepRow: stepRow(s), Result: s.Result}
		out.Arguments = s.Arguments
		if s.ImageSHA256 == "" {
			return out, addClick(ga.ctx, ga.store, g.Goal, s, &out)
		}
		image, err := ga.store.Artifacts.Artifact(s.ImageSHA256)
		if err != nil {
			return out, err
		}
		out.Image = "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image)
		return out, nil
	})
}

// Events reads a page of a goal's journal after the given seq.
func (ga *GoalAPI) Events(id string, after int64, limit int) (EventPage, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (EventPage, error) {
		limit := clampLimit(limit)
		list, err := ga.store.History.Events(ga.ctx, g.ID, after, limit+1)
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
func (ga *GoalAPI) Output(sha256 string) (out string, err error) {
	defer ga.recoverProblem(&err)
	b, err := ga.store.Artifacts.Artifact(sha256)
	if err != nil {
		return "", err
	}
	return text.ToUTF8(string(b)), nil
}

// Receipt reads the verdicts of every claim.
func (ga *GoalAPI) Receipt(id string) (out ReceiptView, err error) {
	defer ga.recoverProblem(&err)
	row, f, err := ga.find(id)
	if err != nil {
		return out, err
	}
	if f.protected, err = ga.store.History.Warnings(ga.ctx, row.ID, event.AboutProtected); err != nil {
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
