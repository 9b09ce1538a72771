package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/agent/tools/textfile"
	"goalpost/backend/domain/goal"
)

type readFileArgs struct {
	Path  string `json:"path"`
	Line  int    `json:"line,omitempty"`
	Lines int    `json:"lines,omitempty"`
}

func readFile(r Deps) (Tool, error) {
	return defineTool("read_file", readEffect, r.folder.doReadFile)
}

func (f folder) doReadFile(_ context.Context, a readFileArgs) goal.Result {
	b, err := f.read(a.Path)
	if err != nil {
		return failedResult("%s", err)
	}
	file, err := textfile.Parse(b)
	if err != nil {
		return okResult("%s is binary, %d bytes. Look at it with run_command (file, od, strings).", a.Path, len(b))
	}
	if len(b) == 0 {
		return okResult("%s is empty.", a.Path)
	}
	lines := strings.SplitAfter(file.Text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from, to := pageLines(a.Line, a.Lines, len(lines))
	if from >= len(lines) {
		return failedResult("%s has %d lines", a.Path, len(lines))
	}
	if fits := countFitting(lines[from:to]); fits < to-from {
		to = from + fits
	}
	text := wrapOutside(a.Path, strings.Join(lines[from:to], ""))
	if from > 0 || to < len(lines) {
		text += fmt.Sprintf("\nlines %d to %d of %d", from+1, to, len(lines))
	}
	if to < len(lines) {
		text += fmt.Sprintf("; line %d continues", to+1)
	}
	if format := file.Describe(); format != "" {
		text += "\n" + a.Path + " is " + format + ", which edit_file and write_file keep"
	}
	return goal.Result{OK: true, Text: text, Budget: 2 * defaultResultBytes}
}

// countFitting returns the number of lines that fit into one result: at least one, which is cut in the middle if it is
// too long.
func countFitting(lines []string) int {
	size := 0
	for i, l := range lines {
		if size += len(l); size > defaultResultBytes && i > 0 {
			return i
		}
	}
	return len(lines)
}

func pageLines(line, count, total int) (from, to int) {
	if count <= 0 {
		count = 400
	}
	from = max(0, line-1)
	return from, from + min(count, max(0, total-from)) // from+count could overflow, because the model chooses both
}
