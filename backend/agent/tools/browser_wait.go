package tools

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

const (
	defaultPageWait = 10 * time.Second
	maxPageWait     = 2 * time.Minute
)

type browserWaitArgs struct {
	Pane    string `json:"pane"`
	Text    string `json:"text,omitempty"`
	Gone    string `json:"gone,omitempty"`
	URL     string `json:"url,omitempty"`
	Target  string `json:"target,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
}

func browserWait(r Deps) (Tool, error) {
	return defineTool("browser_wait", func(_ context.Context, a browserWaitArgs) (policy.Effect, error) {
		if isBlank(a.Text + a.Gone + a.URL + a.Target) {
			return policy.Effect{}, errors.New("say what to wait for: text, gone, url or target")
		}
		return viewEffect()
	}, func(ctx context.Context, a browserWaitArgs) goal.Result {
		result := r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			want := pane.WaitCondition{Text: a.Text, Gone: a.Gone, URL: a.URL, Target: a.Target}
			return p.Actions.Wait(ctx, want, waitDuration(a.Seconds, defaultPageWait, maxPageWait))
		})
		_, err := r.Browsers.Get(a.Pane)
		result.IsOngoing = err == nil
		return result
	})
}
