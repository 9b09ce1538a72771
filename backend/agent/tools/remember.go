package tools

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Memory keeps notes about a goal's folder for later goals there.
type Memory interface {
	// Remember stores a note, and returns older ones that had to go for it.
	Remember(ctx context.Context, text string) (dropped []string, err error)
}

type rememberArgs struct {
	Text string `json:"text"`
}

func remember(r Deps) (Tool, error) {
	return defineTool("remember", func(_ context.Context, a rememberArgs) (policy.Effect, error) {
		if isBlank(a.Text) || len(a.Text) > maxNote {
			return policy.Effect{}, fmt.Errorf("the text has %d bytes; give 1 to %d", len(a.Text), maxNote)
		}
		return viewEffect()
	}, func(ctx context.Context, a rememberArgs) goal.Result {
		if r.Memory == nil {
			return failedResult("this folder has no memory here; use write_note for this goal")
		}
		dropped, err := r.Memory.Remember(ctx, a.Text)
		if err != nil {
			return failedResult("%s", err)
		}
		text := "Later goals in this folder read it. The user sees it and can change it."
		for _, old := range dropped {
			text += "\nForgotten, because it was the oldest and the memory is full: " + wrapOutside("memory", old)
		}
		return okResult("%s", text)
	})
}
