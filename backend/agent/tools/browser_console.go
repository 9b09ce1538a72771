package tools

import (
	"context"
	"slices"

	"goalpost/backend/domain/goal"
)

type browserConsoleArgs struct {
	Pane   string `json:"pane"`
	Errors bool   `json:"errors,omitempty"`
}

func browserConsole(r Deps) (Tool, error) {
	return defineTool("browser_console", readEffect, func(_ context.Context, a browserConsoleArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			lines, err := p.Activity.Console()
			lines = slices.DeleteFunc(lines, func(l string) bool { return a.Errors && !isErrorLine(l) })
			return newestLines("the console of pane "+a.Pane, lines, "the console is empty"), err
		})
	})
}
