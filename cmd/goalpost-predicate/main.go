//go:build linux

// Command goalpost-predicate evaluates one JavaScript expression over some JSON, or reads the text of a PDF, and exits.
// It is a separate program because neither the interpreter nor the parser can limit itself: an endless loop, an array
// of half a gigabyte or a regular expression that backtracks forever ends this process and nothing else. Before it
// reads its input, it gives up access to files, network and other programs, and lets the kernel limit its time and
// memory.
//
// goalpost-predicate < question > answer
// goalpost-predicate pdf < file > text
//
// The question and the answer are JSON, see there.
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
	readsPDF := len(os.Args) == 2 && os.Args[1] == "pdf"
	seconds := maxCPUSeconds
	if readsPDF {
		seconds = maxPDFSeconds
	}
	if err := dropPrivileges(seconds); err != nil {
		return err
	}
	if readsPDF {
		return writePDFText(&boundedStdin{limit: maxInput}, os.Stdout)
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
