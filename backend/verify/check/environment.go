// Package check decides one check of a criterion, once: one file a check type. Whether its
// verdict counts, because nothing that decides the check was changed, is for package verify.
package check

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/judge"
	"goalpost/backend/verify/protect"
	"goalpost/backend/verify/workspace"
)

// Environment is where checks run: programs are started by Launcher with Env, in Dir. What is nil below is missing, and
// a check that needs it is an error that says so. It may be used concurrently.
type Environment struct {
	Launcher process.Launcher
	Env      []string
	Dir      string // the goal's folder, absolute
	// Sandboxed says that Launcher gives each check a sandbox of its own and holds files in it.
	Sandboxed bool
	// StartFiles are used instead of files that have changed, besides what Protected overrides.
	StartFiles []process.FileOverride
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

// Case is the claim that a judge decides about.
type Case struct {
	Objective string
	Claim     goal.Claim
	Verdicts  []goal.Verdict // of the checks before
}

// PredicateEvaluator decides an expression over response, which is JSON. Concurrent use
// is fine. Its errors are a *PredicateError, or say that it could not be asked.
type PredicateEvaluator interface {
	Evaluate(ctx context.Context, expr string, response []byte) (bool, error)
	// Read says what is wrong with an expression, without running it.
	Read(ctx context.Context, expr string) error
}

// PredicateError is what is wrong with an expression, or with what it was tried on.
type PredicateError struct {
	// Kind says whose fault it is: "syntax" the expression cannot be read; "type" response is not built as the expression
	// expects (a TypeError); "throws" it ended in another error; "value" it is neither true nor false; "bounds" it took
	// too long or too much memory.
	Kind string
	Text string
}

func (e *PredicateError) Error() string { return e.Text }
