package check

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
)

// Decide runs a deterministic check once. claim is what a predicate about the claim reads.
func (e Environment) Decide(ctx context.Context, k Item, claim goal.Claim) Result {
	switch k.Type {
	case goal.Shell:
		return e.runShell(ctx, k)
	case goal.HTTP:
		return e.checkHTTP(ctx, k)
	case goal.File:
		return e.checkFile(ctx, k)
	case goal.JSONPredicate:
		return e.checkPredicate(ctx, k, claim)
	case goal.Visual, goal.ModelQuestion, goal.Manual:
	}
	return permanentError(fmt.Sprintf("this version cannot decide checks of type %q", k.Type))
}

// DecideJudgement lets a model or the user decide a check once. An error means that nobody can be asked now
// (judge.IsUnavailable) and says nothing about the check.
func (e Environment) DecideJudgement(ctx context.Context, k Item, c Case) (Result, error) {
	switch k.Type {
	case goal.Visual:
		return e.judgeVisual(ctx, k)
	case goal.ModelQuestion:
		return e.askQuestion(ctx, k, c)
	case goal.Manual:
		return decideManually(c.Claim), nil
	case goal.Shell, goal.HTTP, goal.File, goal.JSONPredicate:
	}
	return e.Decide(ctx, k, c.Claim), nil
}
