package tools

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

// LeftRunning are the programs that calls of run_command left running. Its methods may be called concurrently.
type LeftRunning struct {
	mu   sync.Mutex
	list []*process.Lasting
}

// add remembers what a call left running, and describes it; "" if that is nothing.
func (r *LeftRunning) add(ctx context.Context, left *process.Lasting) string {
	if left == nil {
		return ""
	}
	r.mu.Lock()
	r.list = append(r.list, left)
	r.mu.Unlock()
	return "\nStill running until the goal ends" + describePrograms(left.Programs(ctx)) +
		". list_panes shows it and what it writes."
}

// running returns the entries that still run, and forgets the others.
func (r *LeftRunning) running(ctx context.Context) []*process.Lasting {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(left *process.Lasting) bool { return !left.Runs(ctx) })
	return slices.Clone(r.list)
}

// lines returns one line for each entry, and below it the end of its output.
func (r *LeftRunning) lines(ctx context.Context) []string {
	const maxOutput = 1000
	var lines []string
	for _, left := range r.running(ctx) {
		line := "left running by run_command" + describePrograms(left.Programs(ctx))
		if newest := renderOutput(left.Newest()); newest != "" {
			line += "; its newest output:\n" + string(text.TruncateMiddle([]byte(newest), maxOutput))
		}
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	return lines
}

// List returns the command lines of the programs.
func (r *LeftRunning) List(ctx context.Context) []string {
	var programs []string
	for _, left := range r.running(ctx) {
		programs = append(programs, left.Programs(ctx)...)
	}
	return programs
}

func describePrograms(programs []string) string {
	if len(programs) == 0 { // they began a session of their own
		return ": a program in the background"
	}
	return ": " + text.SanitizeLine(strings.Join(programs, ", "), maxProgramNames)
}

const maxProgramNames = 300 // bytes

// renderOutput returns what a program wrote without control codes. Entries that end in NUL become lines.
func renderOutput(p []byte) string { return text.Render(bytes.ReplaceAll(p, []byte{0}, []byte{'\n'})) }
