package api

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// Abort ends a goal at once, also in the middle of a call.
func (a *GoalAPI) Abort(id string) (bool, error) { return a.addOrder(id, a.controller.Abort) }

// Pause stops a goal after the call that runs.
func (a *GoalAPI) Pause(id string) (bool, error) { return a.addOrder(id, a.controller.Pause) }

// Resume continues a paused, failed or aborted goal with the same steps and
// numbers; in changes limits and leaves a note.
func (a *GoalAPI) Resume(id string, in ResumeInput) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.controller.Resume(ctx, id, in) })
}

// Reopen continues a goal that was done; the note says what is missing.
func (a *GoalAPI) Reopen(id string, in ResumeInput) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.controller.Reopen(ctx, id, in) })
}

// Accept lets a manual check that waits pass.
func (a *GoalAPI) Accept(id string) (bool, error) { return a.addOrder(id, a.controller.Accept) }

// Reject sends a goal whose manual check waits back to work; the note says why.
func (a *GoalAPI) Reject(id, note string) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.controller.Reject(ctx, id, note) })
}

// Steer puts a note of the user into the conversation.
func (a *GoalAPI) Steer(id, text string) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.controller.Steer(ctx, id, text) })
}

// Delete removes a goal and everything about it. A live one is aborted first.
func (a *GoalAPI) Delete(id string) (bool, error) { return a.addOrder(id, a.archive.Delete) }

func (a *GoalAPI) addOrder(id string, do func(context.Context, goal.ID) error) (ok bool, err error) {
	defer a.recoverProblem(&err)
	row, err := a.store.Find(a.ctx, id)
	if err != nil {
		return false, err
	}
	if err := do(a.ctx, row.ID); err != nil {
		return false, err
	}
	return true, nil
}

// Prunable counts the goals that Prune would delete.
func (a *GoalAPI) Prunable(in PruneInput) (out PruneOutput, err error) {
	defer a.recoverProblem(&err)
	p, err := in.Predicate()
	if err != nil {
		return out, err
	}
	ids, err := a.store.Prunable(a.ctx, p)
	return PruneOutput{len(ids)}, err
}

// Prune deletes ended goals and everything about them.
func (a *GoalAPI) Prune(in PruneInput) (out PruneOutput, err error) {
	defer a.recoverProblem(&err)
	n, err := a.archive.Prune(a.ctx, in)
	return PruneOutput{n}, err
}

// Predicate is the input as the store takes it, or a refusal.
func (in PruneInput) Predicate() (store.Predicate, error) {
	switch {
	case in.Status != "" && in.Status != goal.Completed && in.Status != goal.Failed && in.Status != goal.Aborted:
		return store.Predicate{}, &Problem{Code: Refused, Message: "only ended goals are pruned, not " + string(in.Status) + " ones", Hint: "use completed, failed or aborted; delete removes a single goal", Field: "status"}
	case in.OlderThanMS < 0:
		return store.Predicate{}, &Problem{Code: Refused, Message: "the age is negative", Hint: "give one such as 720h", Field: "older_than"}
	}
	return store.Predicate{Status: in.Status, OlderThanMS: in.OlderThanMS}, nil
}

// Proposal reads what the folder's .goalpost/done.yaml proposes. It starts nothing.
func (a *GoalAPI) Proposal(dir string) (out ProposalView, err error) {
	defer a.recoverProblem(&err)
	return a.starter.Proposal(dir)
}

// Protected lists what of a folder would decide a goal with these checks, and be
// held or compared. It starts nothing.
func (a *GoalAPI) Protected(in ProtectInput) (out []ProtectedFile, err error) {
	defer a.recoverProblem(&err)
	return a.starter.Protected(a.ctx, in)
}

// Recheck runs the gates of a goal again, as they were frozen. Neither the goal
// nor its receipt changes.
func (a *GoalAPI) Recheck(id string) (out RecheckOutput, err error) {
	defer a.recoverProblem(&err)
	row, err := a.store.Find(a.ctx, id)
	if err != nil {
		return out, err
	}
	return a.archive.Recheck(a.ctx, row.ID)
}

// ListResumable reads every goal that Resume would take, newest first.
func (a *GoalAPI) ListResumable() (out []GoalCard, err error) {
	list, err := a.List(ListInput{Resumable: true, Limit: 1 << 20})
	return list.Goals, err
}
