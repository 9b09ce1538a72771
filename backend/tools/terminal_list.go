package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type terminalListArgs struct {
	Busy bool `json:"busy,omitempty" jsonschema:"only panes in which a command runs"`
}

func terminalList(t TerminalReading) (Tool, error) {
	return defineTool("terminal_list", func(context.Context, terminalListArgs) (policy.Effect, error) {
		return policy.Effect{Risk: policy.ReadOnly}, nil
	}, func(ctx context.Context, a terminalListArgs) goal.Result {
		list, err := t.List(ctx)
		if err != nil {
			return failedResult("%s", err)
		}
		var lines []string
		for _, one := range list {
			if a.Busy && one.Command == "" {
				continue
			}
			lines = append(lines, one.line())
		}
		if len(lines) == 0 {
			return ok("There is no such terminal pane; terminal_open opens one.")
		}
		return goal.Result{OK: true, Text: wrapOutside("the terminals", strings.Join(lines, "\n"))}
	})
}

// line describes one pane. Title, folder and command come from programs.
func (t Terminal) line() string {
	s := fmt.Sprintf("%s %q in %q", t.Pane, t.Title, t.Dir)
	switch {
	case !t.Running:
		s += fmt.Sprintf(", ended with exit %d", t.Exit)
	case t.Command != "":
		s += fmt.Sprintf(", runs %q", t.Command)
	default:
		s += ", at its prompt or not reporting what it runs"
	}
	if t.Shared {
		s += ", shared by the user"
	}
	return s
}
