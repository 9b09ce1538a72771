package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

type askUserArgs struct {
	Question string `json:"question"`
	Pane     string `json:"pane,omitempty"`
}

func askUser(r Deps) (Tool, error) {
	return defineControl("ask_user", func(a askUserArgs) error {
		if isBlank(a.Question) {
			return errors.New("the question is empty; say what the user must decide or do")
		}
		return checkOwnPane(r.Panes, a.Pane)
	}, func(_ context.Context, run goal.RunControl, a askUserArgs) goal.Result {
		run.AskUser(goal.Question{Text: a.Question, Pane: a.Pane})
		return okResult("the run pauses until the user answers; you get the answer as a message")
	})
}

// checkOwnPane returns an error for a pane that does not belong to the goal; the id "" is valid and means no pane.
func checkOwnPane(p Panes, id string) error {
	if id == "" || p != nil && slices.ContainsFunc(p.List(), func(i pane.Info) bool { return i.ID == id }) {
		return nil
	}
	return fmt.Errorf("this goal has no pane %q; list_panes lists its panes", text.TruncateBytes(id, 40))
}
