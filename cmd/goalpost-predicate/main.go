//go:build linux

// Command goalpost-predicate evaluates one JavaScript expression over some JSON and exits. It is a separate program
// because the interpreter cannot limit itself: an endless loop, an array of half a gigabyte or a regular expression
// that backtracks forever ends this process and nothing else. Before it reads its input, it gives up access to files,
// network and other programs, and lets the kernel limit its time and memory.
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
	if err := json.NewDecoder(&boundedStdin{limit: maxInput}).Decode(&q); err != nil {
		return fmt.Errorf("reading the question: %w", err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(decideExpression(q)); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}
