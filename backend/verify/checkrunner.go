package verify

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/verify/check"
	"goalpost/backend/verify/judge"
)

// CheckRunner decides the checks of a goal in an environment. What is nil is missing, and a check that needs it is an
// error that says so. It may be used concurrently.
type CheckRunner struct {
	check.Environment // without its Judge, Workspace and Protected: these follow from the fields below

	Judge  judge.Model // for questions, pictures and the review
	Model  string
	Window int           // of the judge's model in tokens, 0 where it is not known
	World  *Workspace    // what the goal has changed, and what it must not change
	Agent  AgentPrograms // nil where no agent works

	agentRuns string // why the agent's programs run while checks run, "" if they do not
}

// AgentPrograms are the programs of the agent. Both methods may be called more than once.
type AgentPrograms interface {
	// Freeze stops them until Thaw. Its error says why they run.
	Freeze(ctx context.Context) error
	Thaw()
}

// ResumeAgent lets the agent's programs continue after DecideClaim. While the goal may be done, they stay frozen.
func (h CheckRunner) ResumeAgent() {
	if h.Agent != nil {
		h.Agent.Thaw()
	}
}

// environment is where the checks of the runner run.
func (h CheckRunner) environment() check.Environment {
	e := h.Environment
	e.Judge, e.Workspace, e.Protected = h.judge(), h.World.comparison(), h.World.guard()
	return e
}

// usesOverrides says whether a check runs on the copies of held files.
func (h CheckRunner) usesOverrides(k check.Indexed) bool {
	_, remote := k.Server()
	return h.Sandboxed && !remote && k.Where != "host"
}

// judge is nil where no model can be asked.
func (h CheckRunner) judge() *judge.Judge {
	if h.Judge == nil {
		return nil
	}
	return &judge.Judge{Model: h.Judge, Name: h.Model, Window: h.Window}
}

// Review is the cold reviewer's word about a claim whose checks passed. What it cannot say is never a pass; an error is
// that nobody can be asked now (goal.Unavailable) or that ctx ended.
func (h CheckRunner) Review(
	ctx context.Context, g goal.Goal, c goal.Claim, verdicts []goal.Verdict,
) (goal.Review, error) {
	if h.Judge == nil {
		return goal.Review{Error: true, Reason: judge.ErrMissing.Error()}, nil
	}
	diff, err := h.World.Diff(ctx)
	if err != nil {
		diff = "it could not be made: " + err.Error()
	}
	files, err := h.World.comparison().Evidence(ctx, g.Objective+"\n"+g.Criterion.Describe())
	if err != nil {
		diff += "\nthe files could not be read: " + err.Error()
	}
	return h.judge().Review(ctx, g, judge.Work{Diff: diff, Files: files, Result: c.Result}, verdicts)
}

// JudgePicture decides a question about a picture as the check visual does, for a tool:
// PASS, FAIL or UNCLEAR, and why. What is neither is UNCLEAR.
func (h CheckRunner) JudgePicture(
	ctx context.Context, question string, sight check.PageCapture,
) (word, why string, u goal.Usage, err error) {
	return h.environment().JudgePicture(ctx, question, sight)
}
