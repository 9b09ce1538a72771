package tools

import (
	"context"
	"errors"
	"strings"

	"goalpost/backend/domain/goal"
)

type writeNoteArgs struct {
	Text string `json:"text,omitempty"`
	N    int    `json:"n,omitempty"`
}

func writeNote(Deps) (Tool, error) {
	return defineControl("write_note", func(a writeNoteArgs) error {
		if strings.TrimSpace(a.Text) == "" && a.N == 0 {
			return errors.New("give the text to keep, or n of a note to remove")
		}
		return nil
	}, func(ctx context.Context, run goal.RunControl, a writeNoteArgs) goal.Result {
		said, err := run.WriteNote(ctx, a.N, a.Text)
		return okUnless(err, "%s", said)
	})
}
