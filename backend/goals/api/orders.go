package api

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Abort ends a goal at once, even during a call.
func (ga *GoalAPI) Abort(id string) (bool, error) { return ga.addOrder(id, ga.goals.Controller.Abort) }

// Pause stops a goal after its current call.
func (ga *GoalAPI) Pause(id string) (bool, error) { return ga.addOrder(id, ga.goals.Controller.Pause) }

// Resume resumes a paused, failed or aborted goal with its history and counters. in changes limits and adds a note.
func (ga *GoalAPI) Resume(id string, in ResumeInput) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Resumption.Resume(ctx, id, in) })
}

// Reopen continues a completed goal. The note says what is missing.
func (ga *GoalAPI) Reopen(id string, in ResumeInput) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Resumption.Reopen(ctx, id, in) })
}

// Accept accepts a pending manual check.
func (ga *GoalAPI) Accept(id string) (bool, error) {
	return ga.addOrder(id, ga.goals.Resumption.Accept)
}

// Reject rejects a pending manual check and continues the goal. The note is the reason.
func (ga *GoalAPI) Reject(id, note string) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error {
		return ga.goals.Resumption.Reject(ctx, id, note)
	})
}

// Steer adds a note of the user to the conversation.
func (ga *GoalAPI) Steer(id, text string) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Controller.Steer(ctx, id, text) })
}

// Delete removes a goal with all its data. It aborts an active goal first.
func (ga *GoalAPI) Delete(id string) (bool, error) { return ga.addOrder(id, ga.goals.Archive.Delete) }

func (ga *GoalAPI) addOrder(id string, do func(context.Context, goal.ID) error) (bool, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (bool, error) {
		err := do(ga.ctx, g.ID)
		return err == nil, err
	})
}

// Prunable counts the goals that Prune would delete.
func (ga *GoalAPI) Prunable(in PruneInput) (out PruneOutput, err error) {
	defer ga.recoverProblem(&err)
	p, err := in.Predicate()
	if err != nil {
		return out, err
	}
	ids, err := ga.store.Goals.Prunable(ga.ctx, p)
	return PruneOutput{len(ids)}, err
}

// Prune deletes ended goals with all their data.
func (ga *GoalAPI) Prune(in PruneInput) (out PruneOutput, err error) {
	defer ga.recoverProblem(&err)
	n, err := ga.goals.Archive.Prune(ga.ctx, in)
	return PruneOutput{n}, err
}

// Predicate converts the input to a predicate of the store, or refuses it.
func (p PruneInput) Predicate() (store.Predicate, error) {
	switch {
	case p.Status != "" && p.Status != goal.Completed && p.Status != goal.Failed && p.Status != goal.Aborted:
		return store.Predicate{}, fault.Invalid("status", "only ended goals can be pruned, not "+string(p.Status)+" ones",
			"use completed, failed or aborted; delete removes a single goal")
	case p.OlderThanMS < 0:
		return store.Predicate{}, fault.Invalid("older_than", "the age is negative", "use a duration such as 720h")
	}
	return store.Predicate{Status: p.Status, OlderThanMS: p.OlderThanMS}, nil
}

// Proposal reads the criterion in the folder's .goalpost/done.yaml. It starts nothing.
func (ga *GoalAPI) Proposal(dir string) (out ProposalView, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Proposal(dir)
}

// Protected lists the files of a folder that would decide a goal with these checks, and that the goal would lock or
// monitor. It starts nothing.
func (ga *GoalAPI) Protected(in ProtectInput) (out []ProtectedFile, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Protected(ga.ctx, in)
}

// ProtectedState lists the protected files of a goal and their changes. Resume accepts the versions that it returned
// last.
func (ga *GoalAPI) ProtectedState(id string) (ProtectedState, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (ProtectedState, error) {
		return ga.goals.ProtectedFiles.State(ga.ctx, g.ID)
	})
}

// Recheck runs the deterministic checks of a goal again, with the protected files that it stores. It changes neither
// the goal nor its receipt.
func (ga *GoalAPI) Recheck(id string) (RecheckOutput, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (RecheckOutput, error) {
		return ga.goals.Archive.Recheck(ga.ctx, g.ID)
	})
}
