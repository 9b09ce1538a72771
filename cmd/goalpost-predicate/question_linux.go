package main

import (
	"fmt"
	"os"
)

// question is the input. With Read, the expression is only parsed.
type question struct {
	Expr     string `json:"expr"`
	Response string `json:"response"` // JSON
	Read     bool   `json:"read,omitempty"`
}

// answer is the output: Value, or the kind of an error and a sentence. The kinds are those of check.PredicateError.
type answer struct {
	Value bool   `json:"value"`
	Kind  string `json:"kind,omitempty"`
	Text  string `json:"text,omitempty"`
}

// maxInput limits the input, in bytes. The host never sends as much.
const maxInput = 64 << 20

// boundedStdin is the standard input up to a limit.
type boundedStdin struct{ limit int }

func (b *boundedStdin) Read(p []byte) (int, error) {
	if b.limit <= 0 {
		return 0, fmt.Errorf("the input is longer than %d bytes", maxInput)
	}
	n, err := os.Stdin.Read(p[:min(len(p), b.limit)])
	b.limit -= n
	return n, err //nolint:wrapcheck // io.EOF must stay unwrapped
}
