// Package check decides one check of a criterion, once; each check type has one file. Package verify decides
// whether the verdict counts, because nothing that decides the check was changed.
package check

import (
	"context"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// Environment is where checks run. Launcher starts programs with Env, in Dir. A check that needs a field that is
// nil ends in an error that says so. It may be used concurrently.
type Environment struct {
	Launcher process.Launcher
	Env      []string
	Dir      string // the goal's folder, absolute
	// Sandboxed says that Launcher gives each check its own sandbox and overrides files in it.
	Sandboxed bool
	// StartFiles replace files that have changed, and come before those that Protected overrides.
	StartFiles []process.FileOverride
	// Outside starts the checks that a user wants run on the machine itself.
	Outside process.Launcher
	// Remote runs a program on one of the user's servers, in the server's own folder. It returns an error only if the
	// server cannot be reached.
	Remote func(ctx context.Context, server string, argv []string) (process.Output, error)

	Dial       DialFunc           // into the goal's network; nil uses the machine's own
	Predicates PredicateEvaluator // evaluates the expressions of predicates
	Pages      Pages              // for checks of pages
	Judge      *judge.Judge       // for questions
	Vision     *judge.Judge       // for pictures
	Baseline   *baseline.Baseline
	Protected  *protect.State // what must not change; nil in pre-flight
}

// Case is the claim that a judge decides about.
type Case struct {
	Objective string
	Claim     goal.Claim
	Verdicts  []goal.Verdict // of the checks that were already decided
}

// PredicateEvaluator evaluates a JavaScript expression over response, which is JSON. It may be used concurrently.
// Its errors are a *PredicateError, or say that the evaluator could not be asked.
type PredicateEvaluator interface {
	Evaluate(ctx context.Context, expr string, response []byte) (bool, error)
	// Validate returns an error if an expression is invalid. It does not run it.
	Validate(ctx context.Context, expr string) error
}

// PredicateError describes what is wrong with an expression, or with the JSON that it was applied to.
type PredicateError struct {
	// Kind is "syntax" if the expression is invalid, "type" if response has another structure than the expression
	// expects (a TypeError), "throws" if it ended in another error, "value" if it is neither true nor false, and
	// "bounds" if it took too long or too much memory.
	Kind string
	Text string
}

func (p *PredicateError) Error() string { return p.Text }
