package goalsandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/text"
	"goalpost/backend/verify/check"
)

// predicateTime is for a program that does not end although it computes nothing. An
// expression the kernel ends after a second of computing, and on a busy machine that
// may be long.
const predicateTime = time.Minute

// PredicateProgram evaluates expressions in a program of their own, which shuts itself off
// from files, network and other programs and is bounded by the kernel: 256 MiB
// and a second. It may be used concurrently.
type PredicateProgram struct {
	// Launcher starts Program, see cmd/goalpost-predicate. Nothing of the goal's
	// is needed for it, nor does it get anything of the goal's.
	Launcher process.Launcher
	Program  string
}

// predicateRequest and answer are what the program reads and writes.
type predicateRequest struct {
	Expr     string `json:"expr"`
	Response string `json:"response"`
	Read     bool   `json:"read,omitempty"`
}

type predicateReply struct {
	Value bool   `json:"value"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}

// Evaluate decides expr over response.
func (e PredicateProgram) Evaluate(ctx context.Context, expr string, response []byte) (bool, error) {
	return e.ask(ctx, predicateRequest{Expr: expr, Response: string(response)})
}

// Read says what is wrong with expr, if anything is.
func (e PredicateProgram) Read(ctx context.Context, expr string) error {
	_, err := e.ask(ctx, predicateRequest{Expr: expr, Read: true})
	return err
}

func (e PredicateProgram) ask(ctx context.Context, q predicateRequest) (bool, error) {
	question, err := json.Marshal(q)
	if err != nil {
		return false, fmt.Errorf("asking for %s: %w", q.Expr, err)
	}
	out, err := e.run(ctx, question)
	if err != nil {
		return false, fmt.Errorf("the evaluator of expressions: %w", err)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	stderr, _, _ := strings.Cut(string(out.Stderr), "\n")
	bounds := func(why string) (bool, error) { return false, &check.PredicateError{Kind: "bounds", Text: why} }
	switch {
	case out.TimedOut:
		return false, fmt.Errorf("the evaluator of expressions: it did not end within %s", goal.FormatDuration(predicateTime))
	case out.Status.Signal == syscall.SIGKILL, out.Status.Signal == cpuTimeUp:
		return bounds("the expression was ended: it takes longer than a second")
	case strings.Contains(stderr, "cannot allocate memory"), strings.Contains(stderr, "out of memory"),
		strings.Contains(stderr, "stack exceeds"):
		return bounds("the expression was ended: it takes more than 256 MiB")
	case out.Status.Code != 0:
		return false, fmt.Errorf("the evaluator of expressions: %s: %s", out.Status, text.OneLine(stderr, 300))
	}
	var a predicateReply
	if err := json.Unmarshal(out.Stdout, &a); err != nil {
		return false, fmt.Errorf("the evaluator of expressions: its answer: %w", err)
	}
	if a.Kind != "" {
		return false, &check.PredicateError{Kind: a.Kind, Text: text.OneLine(a.Text, 500)}
	}
	return a.Value, nil
}

// run starts the program, gives it the question, and waits for its end.
func (e PredicateProgram) run(ctx context.Context, question []byte) (out process.Output, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return out, fmt.Errorf("pipe: %w", err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = w.Write(question) // a program that ends before it has read all says so itself
		_ = w.Close()
	}()
	ctx, cancel := context.WithTimeout(ctx, predicateTime)
	defer cancel()
	out, err = process.Capture(ctx, e.Launcher, process.Command{
		Argv: []string{e.Program}, Dir: "/", Files: []*os.File{r},
		// One thread of work: what it may compute is what one core does in a second.
		Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
	}, false)
	err = errors.Join(err, r.Close()) // frees the writer if nobody has read
	<-written
	return out, err
}

// cpuTimeUp is SIGXCPU, which package syscall does not name on every system.
const cpuTimeUp = syscall.Signal(24)
