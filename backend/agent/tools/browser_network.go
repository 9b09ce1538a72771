package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

type browserNetworkArgs struct {
	Pane   string `json:"pane"`
	URL    string `json:"url,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

func browserNetwork(r Deps) (Tool, error) {
	return defineTool("browser_network", readEffect, func(_ context.Context, a browserNetworkArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			list, err := p.Activity.Network()
			var lines []string
			for _, r := range list {
				if strings.Contains(r.URL, a.URL) && (!a.Failed || r.Error != "" || r.Status >= 400) {
					lines = append(lines, formatRequest(r))
				}
			}
			return newestLines("the requests of pane "+a.Pane, lines, "there is no such request"), err
		})
	})
}

func formatRequest(r pane.Request) string {
	came := "no answer yet"
	switch {
	case r.Error != "":
		came = r.Error
	case r.Status > 0:
		came = fmt.Sprint(r.Status)
	}
	return fmt.Sprintf("%s %s %s → %s", r.Kind, r.Method, r.URL, came)
}

// isErrorLine reports whether a console line is an error or a warning.
func isErrorLine(line string) bool {
	kind, _, _ := strings.Cut(line, ":")
	return kind == "error" || kind == "warning" || kind == "assert"
}

// maxListBytes limits lists of events, in bytes.
const maxListBytes = 16 << 10

// newestLines returns the newest lines that fit, oldest first, or the text none if there are no lines.
func newestLines(source string, lines []string, none string) goal.Result {
	size, first := 0, len(lines)
	for first > 0 && size+len(lines[first-1]) < maxListBytes {
		first--
		size += len(lines[first]) + 1
	}
	switch {
	case len(lines) == 0:
		return okResult("%s", none)
	case first > 0:
		lines = append([]string{fmt.Sprintf("%d earlier lines are left out", first)}, lines[first:]...)
	}
	return goal.Result{OK: true, Text: wrapOutside(source, strings.Join(lines, "\n")), Budget: maxPageTextBytes}
}
