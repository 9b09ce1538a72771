package api

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Abort ends a goal at once, even during a call.
func (a *GoalAPI) Abort(id string) (bool, error) { return a.addOrder(id, a.goals.Controller.Abort) }

// Pause stops a goal after its current call.
func (a *GoalAPI) Pause(id string) (bool, error) { return a.addOrder(id, a.goals.Controller.Pause) }

// Resume resumes a paused, failed or aborted goal with its history and counters. in changes limits and adds a note.
func (a *GoalAPI) Resume(id string, in ResumeInput) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.goals.Resumption.Resume(ctx, id, in) })
}

// Reopen continues a completed goal. The note says what is missing.
func (a *GoalAPI) Reopen(id string, in ResumeInput) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.goals.Resumption.Reopen(ctx, id, in) })
}

// Accept accepts a pending manual check.
func (a *GoalAPI) Accept(id string) (bool, error) { return a.addOrder(id, a.goals.Resumption.Accept) }

// Reject rejects a pending manual check and continues the goal. The note is the reason.
func (a *GoalAPI) Reject(id, note string) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.goals.Resumption.Reject(ctx, id, note) })
}

// Steer adds a note of the user to the conversation.
func (a *GoalAPI) Steer(id, text string) (bool, error) {
	return a.addOrder(id, func(ctx context.Context, id goal.ID) error { return a.goals.Controller.Steer(ctx, id, text) })
}

// Delete removes a goal with all its data. It aborts an active goal first.
func (a *GoalAPI) Delete(id string) (bool, error) { return a.addOrder(id, a.goals.Archive.Delete) }

func (a *GoalAPI) addOrder(id string, do func(context.Context, goal.ID) error) (bool, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (bool, error) {
		err := do(a.ctx, g.ID)
		return err == nil, err
	})
}

// Prunable counts the goals that Prune would delete.
func (a *GoalAPI) Prunable(in PruneInput) (out PruneOutput, err error) {
	defer a.recoverProblem(&err)
	p, err := in.Predicate()
	if err != nil {
		return out, err
	}
	ids, err := a.store.Goals.Prunable(a.ctx, p)
	return PruneOutput{len(ids)}, err
}

// Prune deletes ended goals with all their data.
func (a *GoalAPI) Prune(in PruneInput) (out PruneOutput, err error) {
	defer a.recoverProblem(&err)
	n, err := a.goals.Archive.Prune(a.ctx, in)
	return PruneOutput{n}, err
}

// Predicate converts the input to a predicate of the store, or refuses it.
func (in PruneInput) Predicate() (store.Predicate, error) {
	switch {
	case in.Status != "" && in.Status != goal.Completed && in.Status != goal.Failed && in.Status != goal.Aborted:
		return store.Predicate{}, fault.Invalid("status", "only ended goals can be pruned, not "+string(in.Status)+" ones",
			"use completed, failed or aborted; delete removes a single goal")
	case in.OlderThanMS < 0:
		return store.Predicate{}, fault.Invalid("older_than", "the age is negative", "use a duration such as 720h")
	}
	return store.Predicate{Status: in.Status, OlderThanMS: in.OlderThanMS}, nil
}

// Proposal reads the criterion in the folder's .goalpost/done.yaml. It starts nothing.
func (a *GoalAPI) Proposal(dir string) (out ProposalView, err error) {
	defer a.recoverProblem(&err)
	return a.goals.Intake.Proposal(dir)
}

// Protected lists the files of a folder that would decide a goal with these checks, and that the goal would lock or
// monitor. It starts nothing.
func (a *GoalAPI) Protected(in ProtectInput) (out []ProtectedFile, err error) {
	defer a.recoverProblem(&err)
	return a.goals.Intake.Protected(a.ctx, in)
}

// ProtectedState lists the protected files of a goal and their changes. Resume accepts the versions that it returned
// last.
func (a *GoalAPI) ProtectedState(id string) (ProtectedState, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (ProtectedState, error) {
		return a.goals.ProtectedFiles.State(a.ctx, g.ID)
	})
}

// Recheck runs the deterministic checks of a goal again, with the protected files that it stores. It changes neither
// the goal nor its receipt.
func (a *GoalAPI) Recheck(id string) (RecheckOutput, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (RecheckOutput, error) {
		return a.goals.Archive.Recheck(a.ctx, g.ID)
	})
}

// ListResumable lists the resumable goals, newest first.
func (a *GoalAPI) ListResumable() (out []GoalCard, err error) {
	list, err := a.List(ListInput{Resumable: true, Limit: 1 << 20})
	return list.Goals, err
}
