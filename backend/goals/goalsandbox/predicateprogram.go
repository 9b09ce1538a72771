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

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// predicateTimeout bounds a program that hangs without computing. The kernel ends an expression after a second of
// processor time, which may take much longer on a busy machine.
const predicateTimeout = time.Minute

// PredicateProgram evaluates each expression in a separate program. That program gives up its access to files, network
// and other programs, and the kernel limits it to 256 MiB and a second. All methods may be called concurrently.
type PredicateProgram struct {
	// Launcher starts Program, see cmd/goalpost-predicate. It must not be that of a goal: the program neither needs nor
	// gets anything of the goal.
	Launcher process.Launcher
	Program  string
}

// predicateRequest is the input of the program.
type predicateRequest struct {
	Expr     string `json:"expr"`
	Response string `json:"response"`
	Read     bool   `json:"read,omitempty"`
}

// predicateReply is the output of the program. Kind and Text are set if the expression failed.
type predicateReply struct {
	Value bool   `json:"value"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}

// Evaluate returns the value of expr for a response.
func (p PredicateProgram) Evaluate(ctx context.Context, expr string, response []byte) (bool, error) {
	return p.ask(ctx, predicateRequest{Expr: expr, Response: string(response)})
}

// Validate returns an error if expr cannot be parsed.
func (p PredicateProgram) Validate(ctx context.Context, expr string) error {
	_, err := p.ask(ctx, predicateRequest{Expr: expr, Read: true})
	return err
}

func (p PredicateProgram) ask(ctx context.Context, q predicateRequest) (bool, error) {
	question, err := json.Marshal(q)
	if err != nil {
		return false, fmt.Errorf("encoding the expression %s: %w", q.Expr, err)
	}
	out, err := runConfined(ctx, p.Launcher, question, p.Program)
	if err != nil {
		return false, fmt.Errorf("evaluating the expression: %w", err)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	stderr, _, _ := strings.Cut(string(out.Stderr), "\n")
	bounds := func(why string) (bool, error) { return false, &check.PredicateError{Kind: "bounds", Text: why} }
	switch {
	case out.TimedOut:
		return false, fmt.Errorf("evaluating the expression: no result within %s", goal.FormatDuration(predicateTimeout))
	case out.Status.Signal == syscall.SIGKILL, out.Status.Signal == cpuTimeUp:
		return bounds("the expression was stopped, because it takes longer than a second")
	case isOutOfMemory(stderr):
		return bounds("the expression was stopped, because it takes more than 256 MiB")
	case out.Status.Code != 0:
		return false, fmt.Errorf("evaluating the expression: %s: %s", out.Status, text.SanitizeLine(stderr, 300))
	}
	var a predicateReply
	if err := json.Unmarshal(out.Stdout, &a); err != nil {
		return false, fmt.Errorf("evaluating the expression: reading the result: %w", err)
	}
	if a.Kind != "" {
		return false, &check.PredicateError{Kind: a.Kind, Text: text.SanitizeLine(a.Text, 500)}
	}
	return a.Value, nil
}

// runConfined starts a program that confines itself, sends it some input, and waits for its end.
func runConfined(
	ctx context.Context, l process.Launcher, input []byte, argv ...string,
) (out process.Output, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return out, fmt.Errorf("pipe: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Write(input) // fails if the program ends early, which its status shows
		_ = w.Close()
	}()
	ctx, cancel := context.WithTimeout(ctx, predicateTimeout)
	defer cancel()
	out, err = process.Capture(ctx, l, process.Command{
		Argv: argv, Dir: "/", Files: []*os.File{r},
		// One thread, so that a second of processor time is a second of one core.
		Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
	}, false)
	err = errors.Join(err, r.Close()) // unblocks the writer if the program has not read
	<-done
	return out, err
}

// isOutOfMemory reports whether a program of Go ended because it needed more memory than it may have.
func isOutOfMemory(stderr string) bool {
	return strings.Contains(stderr, "cannot allocate memory") || strings.Contains(stderr, "out of memory") ||
		strings.Contains(stderr, "stack exceeds")
}

// cpuTimeUp is SIGXCPU, which package syscall does not name on every system.
const cpuTimeUp = syscall.Signal(24)
