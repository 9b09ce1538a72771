package verify

import (
	"context"
	"fmt"
	"net"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/judge"
	"goalpost/backend/verify/protect"
	"goalpost/backend/verify/shellline"
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
func (e Environment) Decide(ctx context.Context, k indexedCheck, claim goal.Claim) attempt {
	switch k.Type {
	case goal.Shell:
		return e.shell(ctx, k)
	case goal.HTTP:
		return e.checkHTTP(ctx, k)
	case goal.File:
		return e.checkFile(ctx, k)
	case goal.JSONPredicate:
		return e.predicate(ctx, k, claim)
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
func (e Environment) DecideJudgement(ctx context.Context, k indexedCheck, about Case) (attempt, error) {
	switch k.Type {
	case goal.Visual:
		return e.visual(ctx, k)
	case goal.ModelQuestion:
		return e.question(ctx, k, about)
	case goal.Manual:
		return manual(about.Claim), nil
	case goal.Shell, goal.HTTP, goal.File, goal.JSONPredicate:
	}
	return e.Decide(ctx, k, about.Claim), nil
}

// DialFunc connects to an address, host:port, as the goal's own programs would.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// PredicateEvaluator decides an expression over response, which is JSON. Concurrent use
// is fine. Its errors are a *PredicateError, or say that it could not be asked.
type PredicateEvaluator interface {
	Evaluate(ctx context.Context, expr string, response []byte) (bool, error)
	// Read says what is wrong with an expression, without running it.
	Read(ctx context.Context, expr string) error
}

// Pages opens pages for checks that look at them.
type Pages interface {
	// Screenshot opens a page in a fresh context, with the goal's cookies and none of
	// the agent's scripts, waits until it has settled, and takes a picture.
	Screenshot(ctx context.Context, at PageTarget) (PageCapture, error)
}

// PageTarget is the page to look at: URL, or that of a pane; with neither that of
// the goal's newest pane.
type PageTarget struct{ URL, Pane string }

// PageCapture is what a page showed.
type PageCapture struct {
	PNG   []byte
	URL   string
	Title string
	// Agents says that the state cannot be reached by a URL, so this is the
	// agent's own page.
	Agents bool
}

// indexedCheck is a check of a criterion, with its place there; -1 while there is none.
type indexedCheck struct {
	goal.Check
	n int
}

// runs says whether the check runs a command.
func (c indexedCheck) runs() bool { return shellline.RunsCommand(c.Check) }

// attempt is a verdict on its way. Again says that it is an error which another
// try may not meet.
type attempt struct {
	goal.Verdict
	again bool
}

func verdict(outcome goal.Outcome, detail string) attempt {
	return attempt{Verdict: goal.Verdict{Outcome: outcome, Detail: detail}}
}

// retryableError is an error that may be gone at the next try.
func retryableError(err error) attempt {
	r := verdict(goal.CheckErr, err.Error())
	r.again = true
	return r
}

// permanentError is an error that no other try changes.
func permanentError(detail string) attempt { return verdict(goal.CheckErr, detail) }
