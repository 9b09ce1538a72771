package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Panes are all panes of one goal, terminals and browsers. An error means that the goal has no such pane.
type Panes interface {
	List() []pane.Info // oldest first
	// IsShared reports whether a pane belongs to the user, who shares it.
	IsShared(pane string) bool
	Close(ctx context.Context, pane string) error
	// Focus brings a pane to the front without taking the keyboard focus.
	Focus(pane string) error
	Name(pane, title string) error
}

// viewEffect returns the effect of a tool that changes only the screen.
func viewEffect() (policy.Effect, error) { return policy.Effect{Risk: policy.ReadOnly}, nil }

const maxTitle = 80 // characters

// validateTitle returns an error for a title that cannot be shown in a tab.
func validateTitle(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("the title is empty; give a short one such as server")
	case len([]rune(s)) > maxTitle || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the title must be one line of at most %d characters", maxTitle)
	}
	return nil
}

// paneLine describes one pane in a line. command is the command that runs in a terminal, "" if there is none or it is
// unknown. Programs and pages choose the title, the address and the command.
func paneLine(i pane.Info, command string, shared bool) string {
	s := fmt.Sprintf("%s %s %q", i.ID, i.Kind, i.Title)
	switch {
	case i.Kind == pane.Browser:
		s += fmt.Sprintf(" at %q", text.TruncateBytes(i.URL, 300))
	case !i.Running:
		s += fmt.Sprintf(" in %q, ended with exit %d", i.Cwd, i.Exit)
	case command != "":
		s += fmt.Sprintf(" in %q, runs %q", i.Cwd, text.TruncateBytes(command, 200))
	default:
		s += fmt.Sprintf(" in %q", i.Cwd)
	}
	if i.Loading {
		s += ", loading"
	}
	if i.Driver == pane.DriverUser {
		s += ", under the user's control"
	}
	if shared {
		s += ", shared by the user"
	}
	if i.Problem != "" {
		s += fmt.Sprintf(", problem: %q", text.TruncateBytes(i.Problem, 200))
	}
	return s
}
