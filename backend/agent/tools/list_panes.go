package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type listPanesArgs struct {
	Kind string `json:"kind,omitempty"`
	Busy bool   `json:"busy,omitempty"`
}

func listPanes(r Deps) (Tool, error) {
	return defineTool("list_panes", func(_ context.Context, a listPanesArgs) (policy.Effect, error) {
		if a.Kind != "" {
			if _, err := kindOf(a.Kind); err != nil {
				return policy.Effect{}, err
			}
		}
		return viewEffect()
	}, func(ctx context.Context, a listPanesArgs) goal.Result {
		running, err := r.runningCommands(ctx)
		if err != nil {
			return failedResult("%s", err)
		}
		var lines []string
		for _, i := range r.Panes.List() {
			command := running[i.ID]
			if a.Kind != "" && a.Kind != string(i.Kind) || a.Busy && command == "" {
				continue
			}
			lines = append(lines, paneLine(i, command, r.Panes.IsShared(i.ID)))
		}
		if a.Kind == "" {
			lines = append(lines, r.LeftRunning.lines(ctx)...)
		}
		if len(lines) == 0 {
			return okResult("You have no such pane; terminal_open and browser_open open one.")
		}
		return goal.Result{OK: true, Text: wrapOutside("the panes", strings.Join(lines, "\n"))}
	})
}

// runningCommands returns the commands that run in terminal panes, by pane, where they are known.
func (d Deps) runningCommands(ctx context.Context) (map[string]string, error) {
	commands := map[string]string{}
	if d.Terminals == nil {
		return commands, nil
	}
	list, err := d.Terminals.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the terminals: %w", err)
	}
	for _, t := range list {
		commands[t.Pane] = t.Command
	}
	return commands, nil
}

func kindOf(s string) (pane.Kind, error) {
	switch k := pane.Kind(s); k {
	case pane.Terminal, pane.Browser:
		return k, nil
	case pane.TextFile: // the user's alone
	}
	return "", fmt.Errorf("kind is %q; use terminal or browser", s)
}
