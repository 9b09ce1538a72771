// Package check decides one check of a criterion, once: one file a check type. Whether its
// verdict counts, because nothing that decides the check was changed, is for package verify.
package check

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/judge"
	"goalpost/backend/verify/protect"
	"goalpost/backend/verify/workspace"
)

// Environment is where checks run: programs are started by Launcher with Env, in Dir.
// What is nil below is missing, and a check that needs it is an error that says
// so. It may be used concurrently.
type Environment struct {
	Launcher process.Launcher
	Env      []string
	Dir      string // the goal's folder, absolute
	// Sandboxed says that Launcher gives each check a sandbox of its own and holds files in it.
	Sandboxed bool
	// Outside starts the checks that a user wants run on the machine itself.
	Outside process.Launcher
	// Remote runs a program on a server of the user's list, in the server's own
	// folder. Its error says that the server could not be asked.
	Remote func(ctx context.Context, server string, argv []string) (process.Output, error)

	Dial      DialFunc           // into the goal's network; nil is the machine's own
	Engine    PredicateEvaluator // of predicates
	Pages     Pages              // for checks that look at pages
	Judge     *judge.Judge       // for questions and pictures
	Workspace *workspace.Workspace
	Protected *protect.State // what must not change; nil in pre-flight
}

// Decide lets a program decide a check, once. claim is what a predicate of a claim reads.
func (e Environment) Decide(ctx context.Context, k Indexed, claim goal.Claim) Result {
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

// Case is the claim that a judge decides about.
type Case struct {
	Objective string
	Claim     goal.Claim
	Verdicts  []goal.Verdict // of the checks before
}

// DecideJudgement lets a model or the user decide a check, once. An error means that
// nobody can be asked now, see judge.IsUnavailable, and says nothing about the check.
func (e Environment) DecideJudgement(ctx context.Context, k Indexed, about Case) (Result, error) {
	switch k.Type {
	case goal.Visual:
		return e.judgeVisual(ctx, k)
	case goal.ModelQuestion:
		return e.askQuestion(ctx, k, about)
	case goal.Manual:
		return manualAttempt(about.Claim), nil
	case goal.Shell, goal.HTTP, goal.File, goal.JSONPredicate:
	}
	return e.Decide(ctx, k, about.Claim), nil
}
