package tools

import (
	"context"

	"goalpost/backend/goal"
)

type browserConsoleArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Errors bool   `json:"errors,omitempty" jsonschema:"only errors and warnings"`
}

func browserConsole(b Browsers) (Tool, error) {
	return defineTool("browser_console", readEffect[browserConsoleArgs],
		func(_ context.Context, a browserConsoleArgs) goal.Result {
			p, err := b.Get(a.Pane)
			if err != nil {
				return failedResult("%s", err)
			}
			lines, err := p.Console()
			if err != nil {
				return pageError(a.Pane, err)
			}
			var kept []string
			for _, l := range lines {
				if !a.Errors || isErrorLine(l) {
					kept = append(kept, l)
				}
			}
			return newestLines("the console of pane "+a.Pane, kept, "the console is empty")
		})
}
