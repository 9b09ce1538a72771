//go:build linux

// Command goalpost-predicate decides one JavaScript expression over some JSON and exits. It is a program of its own
// because the engine cannot be bounded from inside: a loop without end, an array of half a gigabyte or a regular
// expression that backtracks for ever ends this process and nothing else. Before it reads its input it gives up
// access to files, network and other programs, and limits its time and memory in the kernel.
//
// goalpost-predicate < question > answer
//
// Both are JSON, see question and answer.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// inputMax is the maximum input, in bytes: more than the host ever sends.
const inputMax = 64 << 20

// question is the input. With Read, the expression is only parsed.
type question struct {
	Expr     string `json:"expr"`
	Response string `json:"response"` // JSON
	Read     bool   `json:"read,omitempty"`
}

// answer is what came of it: Value, or the kind of a fault and a sentence. The
// kinds are those of check.PredicateError.
// answer is the output: Value, or the kind of an error and a sentence. The kinds are those of verify.PredicateError.
type answer struct {
	Value bool   `json:"value"`
	Kind  string `json:"kind,omitempty"`
	Text  string `json:"text,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "goalpost-predicate:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := dropPrivileges(); err != nil {
		return err
	}
	var q question
	if err := json.NewDecoder(&boundedStdin{left: inputMax}).Decode(&q); err != nil {
		return fmt.Errorf("reading the question: %w", err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(decideExpression(q)); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// boundedStdin is the standard input up to a limit.
type boundedStdin struct{ left int }

func (l *boundedStdin) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the question is longer than %d bytes", inputMax)
	}
	n, err := os.Stdin.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err //nolint:wrapcheck // io.EOF must stay unwrapped
}
