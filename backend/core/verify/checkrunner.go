package verify

import (
	"cmp"
	"context"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
)

// CheckRunner decides the checks of a goal in an environment. A check that needs a field that is nil ends in an
// error that says so. It may be used concurrently.
type CheckRunner struct {
	Environment check.Environment // Judge, Baseline and Protected are ignored: they follow from the fields below

	Judge  judge.Model // for questions, pictures and the review
	Model  string
	Window int          // of the judge's model in tokens, 0 if unknown
	Other  *judge.Judge // asked if the judge gives no answer that can be read; nil if there is none
	// Reviewer and Vision review, and decide what pictures show; nil is the judge.
	Reviewer, Vision *judge.Judge
	Folder           *FolderState  // nil if the folder's state at the start is unknown
	Agent            AgentPrograms // nil while no agent is working
}

// AgentPrograms are the programs of the agent. The methods may be called more than once.
type AgentPrograms interface {
	// Freeze stops them until Thaw, or until a check connects to one of them. Its error says why they still run.
	Freeze(ctx context.Context) error
	Thaw()
	// Listens reports whether one of those that Freeze stopped listens.
	Listens() bool
	// Served reports whether a check has connected to one of those that Freeze stopped.
	Served() bool
}

// ResumeAgent lets the agent's programs continue after DecideClaim. They stay frozen while the goal may be done.
func (cr CheckRunner) ResumeAgent() {
	if cr.Agent != nil {
		cr.Agent.Thaw()
	}
}

// environment returns where the runner's checks run.
func (cr CheckRunner) environment() check.Environment {
	e := cr.Environment
	e.Vision = cmp.Or(cr.Vision, cr.judge())
	e.Judge, e.Baseline, e.Protected = cr.judge(), cr.Folder.baseline(), cr.Folder.protectedState()
	return e
}

// usesOverrides reports whether a check runs on the copies of locked files.
func (cr CheckRunner) usesOverrides(k check.Item) bool {
	_, remote := k.Server()
	return cr.Environment.Sandboxed && !remote && k.Where != "host"
}

// judge returns nil if no model can be asked.
func (cr CheckRunner) judge() *judge.Judge {
	if cr.Judge == nil {
		return nil
	}
	return &judge.Judge{Model: cr.Judge, Name: cr.Model, Window: cr.Window, Other: cr.Other}
}

// CanReview reports whether there is a model that can review.
func (cr CheckRunner) CanReview() bool { return cr.reviewer() != nil }

// reviewer returns nil if no model can be asked.
func (cr CheckRunner) reviewer() *judge.Judge { return cmp.Or(cr.Reviewer, cr.judge()) }

// Review lets an independent reviewer decide about a claim whose checks passed. An unreadable reply is never a pass. An
// error means that nobody can be asked now (goal.Unavailable) or that ctx ended.
func (cr CheckRunner) Review(
	ctx context.Context, g goal.Goal, c goal.Claim, verdicts []goal.Verdict,
) (goal.Review, error) {
	if !cr.CanReview() {
		return goal.Review{Error: true, Reason: judge.ErrMissing.Error()}, nil
	}
	diff, err := cr.Folder.Diff(ctx)
	if err != nil {
		diff = "the diff could not be made: " + err.Error()
	}
	files, err := cr.Folder.baseline().Evidence(ctx, g.Objective+"\n"+g.Criterion.Describe())
	if err != nil {
		diff += "\nthe files could not be read: " + err.Error()
	}
	return cr.reviewer().Review(ctx, g, judge.Work{
		Diff: diff, Files: files, Result: c.Result, Background: c.Background,
	}, verdicts)
}

// JudgePicture answers a question about a picture for a tool, as a visual check would: PASS, FAIL or UNCLEAR, and
// why. Any other reply is UNCLEAR.
func (cr CheckRunner) JudgePicture(
	ctx context.Context, question string, sight check.PageCapture,
) (word, why string, u goal.Usage, err error) {
	return cr.environment().JudgePicture(ctx, question, sight)
}
