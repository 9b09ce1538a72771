package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

const defaultSharePercent = 30 // percent

type startGoalArgs struct {
	Objective string       `json:"objective"`
	Checks    []childCheck `json:"checks"`
	Risk      string       `json:"risk,omitempty"`
	ReadOnly  bool         `json:"in_my_folder,omitempty"`
	Share     int          `json:"share_percent,omitempty"`
	DenyTools []string     `json:"deny_tools,omitempty"`
}

// childCheck has the fields of a check that an agent may choose; it cannot choose where the check runs.
type childCheck struct {
	Type     string `json:"type"`
	Command  string `json:"command,omitempty"`
	Path     string `json:"path,omitempty"`
	Matches  string `json:"matches,omitempty"`
	URL      string `json:"url,omitempty"`
	Contains string `json:"body_contains,omitempty"`
	Expr     string `json:"expr,omitempty"`
	Question string `json:"question,omitempty"`
}

func startGoal(r Deps) (Tool, error) {
	t, err := defineTool("start_goal", func(_ context.Context, a startGoalArgs) (policy.Effect, error) {
		c, err := a.child()
		if err != nil {
			return policy.Effect{}, err
		}
		e := CheckEffect(c.Checks)
		e.Delegates, e.Reason = true, "another goal works, with no more rights than this one: "+
			text.TruncateBytes(c.Objective, 200)
		return e, nil
	}, func(ctx context.Context, a startGoalArgs) goal.Result {
		c, err := a.child()
		if err == nil && r.Goals == nil {
			err = errNoGoals
		}
		if err != nil {
			return failedResult("%s", err)
		}
		id, err := r.Goals.Start(ctx, c)
		if err != nil {
			return failedResult("%s", err)
		}
		return okResult("goal %s has started; wait_for_goal waits for its end, goal_status shows its state. "+
			"It ends when you do.",
			id.Short())
	})
	return withPreview(t, err, func(_ context.Context, a startGoalArgs) string {
		c, err := a.child()
		if err != nil {
			return ""
		}
		return a.Objective + "\nIt is done when " + goal.Criterion{Checks: c.Checks}.Describe()
	})
}

func (s startGoalArgs) child() (Child, error) {
	c := Child{
		Objective: strings.TrimSpace(s.Objective),
		Risk:      policy.Risk(s.Risk),
		ReadOnly:  s.ReadOnly,
		Share:     s.Share,
		DenyTools: s.DenyTools,
	}
	if c.Share == 0 {
		c.Share = defaultSharePercent
	}
	switch {
	case c.Objective == "":
		return c, fmt.Errorf("the objective is empty; say what should be true at the end")
	case c.Share < 1 || c.Share > 90:
		return c, fmt.Errorf("share_percent must be 1 to 90")
	case s.Risk != "" && !c.Risk.IsValid():
		return c, fmt.Errorf("unknown risk %q: use one of %s", s.Risk, policy.RiskNames())
	}
	for _, k := range s.Checks {
		check := goal.Check{
			Type:         goal.CheckType(k.Type),
			Command:      k.Command,
			Path:         k.Path,
			Matches:      k.Matches,
			URL:          k.URL,
			BodyContains: k.Contains,
			Expr:         k.Expr,
			Question:     k.Question,
		}
		switch check.Type {
		case goal.Shell, goal.File, goal.HTTP, goal.ModelQuestion:
		case goal.JSONPredicate:
			if k.Path != "" {
				check.From = goal.FromFile
			}
		default:
			return c, fmt.Errorf(
				"a check of type %q cannot be chosen here; use shell, file, http, json_predicate or model_question", k.Type)
		}
		c.Checks = append(c.Checks, check)
	}
	if err := (goal.Criterion{Checks: c.Checks}).Validate(); err != nil {
		return c, fmt.Errorf("the checks: %w", err)
	}
	return c, nil
}
