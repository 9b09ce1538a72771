package tools

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

const maxNote = 4000 // bytes

type shareNoteArgs struct {
	To   string `json:"to"`
	Text string `json:"text"`
}

func shareNote(r Deps) (Tool, error) {
	return defineTool("share_note", func(_ context.Context, a shareNoteArgs) (policy.Effect, error) {
		if isBlank(a.Text) || len(a.Text) > maxNote {
			return policy.Effect{}, fmt.Errorf("the text has %d bytes; give 1 to %d", len(a.Text), maxNote)
		}
		return policy.Effect{Risk: policy.ReadOnly, Delegates: true}, nil
	}, func(ctx context.Context, a shareNoteArgs) goal.Result {
		if r.Goals == nil {
			return failedResult("%s", errNoGoals)
		}
		return okUnless(r.Goals.Share(ctx, a.To, a.Text), "goal %s reads it before its next turn", a.To)
	})
}
