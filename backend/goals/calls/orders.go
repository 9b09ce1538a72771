package calls

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// Abort ends a goal at once, even during a call.
func (ga *GoalAPI) Abort(id string) (bool, error) { return ga.addOrder(id, ga.goals.Abort) }

// Pause stops a goal after its current call.
func (ga *GoalAPI) Pause(id string) (bool, error) { return ga.addOrder(id, ga.goals.Pause) }

// Resume resumes a paused, failed or aborted goal with its history and counters. in changes limits and adds a note.
func (ga *GoalAPI) Resume(id string, in api.ResumeInput) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Resumption.Resume(ctx, id, in) })
}

// Reopen continues a completed goal. The note says what is missing.
func (ga *GoalAPI) Reopen(id string, in api.ResumeInput) (bool, error) {
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Resumption.Reopen(ctx, id, in) })
}

// Accept accepts a pending manual check, or the doubted pass of a done goal.
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
	return ga.addOrder(id, func(ctx context.Context, id goal.ID) error { return ga.goals.Steer(ctx, id, text) })
}

// Delete removes a goal with all its data. It aborts an active goal first.
func (ga *GoalAPI) Delete(id string) (bool, error) { return ga.addOrder(id, ga.goals.Delete) }

func (ga *GoalAPI) addOrder(id string, do func(context.Context, goal.ID) error) (bool, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (bool, error) {
		err := do(ga.ctx, g.ID)
		return err == nil, err
	})
}

// Prunable counts the goals that Prune would delete.
func (ga *GoalAPI) Prunable(in api.PruneInput) (out PruneOutput, err error) {
	defer ga.recoverProblem(&err)
	p, err := in.Predicate()
	if err != nil {
		return out, err
	}
	ids, err := ga.store.Goals.Prunable(ga.ctx, p)
	return PruneOutput{len(ids)}, err
}

// Prune deletes ended goals with all their data.
func (ga *GoalAPI) Prune(in api.PruneInput) (out PruneOutput, err error) {
	defer ga.recoverProblem(&err)
	n, err := ga.goals.Prune(ga.ctx, in)
	return PruneOutput{n}, err
}

// Instructions lists the files in which a folder tells agents how to work in it, such as AGENTS.md.
func (ga *GoalAPI) Instructions(dir string) (out []api.InstructionFile, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Instructions(dir)
}

// Proposal reads the criterion in the folder's .goalpost/done.yaml. It starts nothing.
func (ga *GoalAPI) Proposal(dir string) (out api.ProposalView, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Proposal(dir)
}

// Protected lists the files of a folder that would decide a goal with these checks, and that the goal would lock or
// monitor. It starts nothing.
func (ga *GoalAPI) Protected(in api.ProtectInput) (out []api.ProtectedFile, err error) {
	defer ga.recoverProblem(&err)
	return ga.goals.Intake.Protected(ga.ctx, in)
}

// ProtectedState lists the protected files of a goal and their changes. Resume accepts the versions that it returned
// last.
func (ga *GoalAPI) ProtectedState(id string) (api.ProtectedState, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (api.ProtectedState, error) {
		return ga.goals.ProtectedFiles.State(ga.ctx, g.ID)
	})
}

// Recheck runs the deterministic checks of a goal again, with the protected files that it stores. A done goal then says
// what they found; the claims of its receipt do not change.
func (ga *GoalAPI) Recheck(id string) (api.RecheckOutput, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (api.RecheckOutput, error) {
		return ga.goals.Recheck(ga.ctx, g.ID)
	})
}
