package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type listPanesArgs struct {
	Kind string `json:"kind,omitempty" jsonschema:"only terminal or browser panes; both if left out"`
}

func listPanes(p Panes) (Tool, error) {
	return defineTool("list_panes", func(_ context.Context, a listPanesArgs) (policy.Effect, error) {
		if a.Kind != "" {
			if _, err := kindOf(a.Kind); err != nil {
				return policy.Effect{}, err
			}
		}
		return viewEffect()
	}, func(_ context.Context, a listPanesArgs) goal.Result {
		var lines []string
		for _, i := range p.List() {
			if a.Kind == "" || a.Kind == string(i.Kind) {
				lines = append(lines, paneLine(i, p.IsShared(i.ID)))
			}
		}
		if len(lines) == 0 {
			return ok("You do not have such a pane; open_pane opens one.")
		}
		return goal.Result{OK: true, Text: wrapOutside("the panes", strings.Join(lines, "\n"))}
	})
}

func kindOf(s string) (pane.Kind, error) {
	switch k := pane.Kind(s); k {
	case pane.Terminal, pane.Browser:
		return k, nil
	}
	return "", fmt.Errorf("kind is %q; use terminal or browser", s)
}
