package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserFindArgs struct {
	Pane       string   `json:"pane"`
	Text       string   `json:"text,omitempty"`
	Role       string   `json:"role,omitempty"`
	Selector   string   `json:"selector,omitempty"`
	Attributes []string `json:"attributes,omitempty"`
}

func browserFind(r Deps) (Tool, error) {
	return defineTool("browser_find", func(_ context.Context, a browserFindArgs) (policy.Effect, error) {
		if isBlank(a.Text + a.Role + a.Selector) {
			return policy.Effect{}, errors.New("say what to find: a text, a role or a selector")
		}
		return viewEffect()
	}, func(ctx context.Context, a browserFindArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			found, err := p.Reader.FindElements(ctx, pane.FindOptions{
				Text:       a.Text,
				Role:       a.Role,
				CSS:        a.Selector,
				Attributes: a.Attributes,
			})
			return pageResult(a.Pane, found, 0, 0), err
		})
	})
}
