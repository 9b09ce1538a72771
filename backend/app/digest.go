package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/goals/attention"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/text"
)

// Limits of a digest for webhooks: the goals that it names, and the characters of an objective.
const maxDigestGoals, maxDigestObjective = 15, 80

// digest sums up what has happened since a time, for webhooks.
func (a *App) digest(ctx context.Context, since time.Time) (out attention.DigestText, err error) {
	d, err := a.GoalAPI(ctx).Digest(since.Format(time.RFC3339))
	if err != nil {
		return out, err
	}
	var title, lines []string
	for _, part := range []struct {
		goals  []calls.GoalCard
		counts string // after their number
		name   string // before each of them
	}{{d.NeedsYou, "waiting for you", "Needs you"}, {d.Failed, "failed", "Failed"}, {d.Done, "done", "Done"}} {
		if len(part.goals) > 0 {
			title = append(title, fmt.Sprintf("%d %s", len(part.goals), part.counts))
		}
		for _, g := range part.goals {
			objective := text.Truncate(text.FirstLine(g.Objective), maxDigestObjective)
			lines = append(lines, fmt.Sprintf("%s: %s ($%.2f)", part.name, objective, g.USD))
		}
	}
	if len(title) == 0 {
		return out, nil
	}
	if rest := len(lines) - maxDigestGoals; rest > 0 {
		lines = append(lines[:maxDigestGoals], fmt.Sprintf("and %d more", rest))
	}
	lines = append(lines, fmt.Sprintf("%d still running, $%.2f in 24 hours", d.Running, d.USD))
	return attention.DigestText{
		Title: "Your goals: " + strings.Join(title, ", "), Text: strings.Join(lines, "\n"),
	}, nil
}
