package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Goals manages the child goals of a goal. Each is named by its id or the end of it; "parent" names the goal that
// started this one. No child may do more, spend more or run longer than its parent.
type Goals interface {
	Start(ctx context.Context, c Child) (goal.ID, error)
	// List returns the children, oldest first.
	List(ctx context.Context) ([]GoalState, error)
	// Wait waits at most the given time until the child has stopped, and returns its state.
	Wait(ctx context.Context, id string, wait time.Duration) (GoalState, error)
	// File reads a file of a child's folder.
	File(ctx context.Context, id, path string) ([]byte, error)
	// Share sends a note to a child, or to the parent.
	Share(ctx context.Context, to, text string) error
}

// Child is a goal that its parent's agent requests.
type Child struct {
	Objective string
	Checks    []goal.Check
	Risk      policy.Risk // "" means the parent's
	ReadOnly  bool        // it works in the parent's folder and changes nothing
	Share     int         // percent of the parent's remaining limits
	DenyTools []string
}

// GoalState is the state of a child.
type GoalState struct {
	ID        goal.ID
	Objective string
	Status    goal.Status
	Exit      goal.Exit
	Verified  bool
	Checks    string // how many pass, such as 1/2
	Spent     goal.Spend
	Limits    goal.Limits
	Result    string // of its latest claim
	Report    []string
	// Needs lists what the child needs from the user; empty if it needs nothing.
	Needs []string
}

var errNoGoals = errors.New("this goal cannot start others: it was started by another goal, or outside a run")

// summary returns the state in one line; details adds the texts, which come from another agent.
func (g GoalState) summary() string {
	t := fmt.Sprintf("%s %s", g.ID.Short(), g.Status)
	if g.Exit != "" {
		t += "/" + string(g.Exit)
	}
	t += fmt.Sprintf(", checks passing %s, %d turns of %d, %d steps, %s", g.Checks, g.Spent.Iterations,
		g.Limits.Iterations, g.Spent.Steps,
		goal.FormatDuration(g.Spent.WallClock))
	if g.Spent.USD > 0 {
		t += fmt.Sprintf(", $%.2f", g.Spent.USD)
	}
	if len(g.Needs) > 0 {
		t += ", waits for the user"
	}
	return t
}

func (g GoalState) details() string {
	var b strings.Builder
	fmt.Fprintf(&b, "objective: %s\n", text.TruncateBytes(g.Objective, 500))
	if g.Result != "" {
		fmt.Fprintf(&b, "result: %s\n", g.Result)
	}
	for _, n := range g.Needs {
		fmt.Fprintf(&b, "waits for the user: %s\n", text.TruncateBytes(n, 500))
	}
	for _, r := range g.Report {
		fmt.Fprintf(&b, "- %s\n", r)
	}
	return g.summary() + "\n" + wrapOutside("goal "+g.ID.Short(), b.String())
}
