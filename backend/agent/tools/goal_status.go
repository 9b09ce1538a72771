package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type goalStatusArgs struct {
	Goal string `json:"goal,omitempty"`
	File string `json:"file,omitempty"`
}

func goalStatus(r Deps) (Tool, error) {
	return defineTool("goal_status", func(_ context.Context, a goalStatusArgs) (policy.Effect, error) {
		if a.File != "" && a.Goal == "" {
			return policy.Effect{}, fmt.Errorf("name the goal whose file you want")
		}
		return viewEffect()
	}, func(ctx context.Context, a goalStatusArgs) goal.Result {
		if r.Goals == nil {
			return failedResult("%s", errNoGoals)
		}
		list, err := r.Goals.List(ctx)
		if err != nil {
			return failedResult("%s", err)
		}
		var parts []string
		goesOn := false
		for _, s := range list {
			if a.Goal == "" || matchesGoalID(s.ID, a.Goal) {
				goesOn = goesOn || s.Status == goal.Running || s.Status == goal.Pending
			}
			if a.Goal == "" {
				parts = append(parts, s.summary())
			} else if matchesGoalID(s.ID, a.Goal) {
				parts = append(parts, s.details())
			}
		}
		switch {
		case len(list) == 0:
			return okResult("You have not started a goal.")
		case len(parts) == 0:
			return failedResult("you have not started a goal %q; goal_status without a goal lists yours", a.Goal)
		}
		if a.File != "" {
			b, err := r.Goals.File(ctx, a.Goal, a.File)
			if err != nil {
				return failedResult("%s", err)
			}
			if !utf8.Valid(b) {
				return failedResult("%s is binary, %d bytes", a.File, len(b))
			}
			parts = append(parts, wrapOutside(a.File+" of goal "+a.Goal, string(b)))
		}
		return goal.Result{OK: true, IsOngoing: goesOn, Text: strings.Join(parts, "\n")}
	})
}

// matchesGoalID reports whether part names the goal: its id, or the end of it that agents see.
func matchesGoalID(id goal.ID, part string) bool {
	const enough = 6
	return string(id) == part || len(part) >= enough && strings.HasSuffix(string(id), part)
}
