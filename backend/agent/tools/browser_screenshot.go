package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserScreenshotArgs struct {
	Pane   string `json:"pane"`
	Full   bool   `json:"full,omitempty"`
	Target string `json:"target,omitempty"`
	Marked bool   `json:"marked,omitempty"`
}

func browserScreenshot(r Deps) (Tool, error) {
	return defineTool("browser_screenshot", func(_ context.Context, a browserScreenshotArgs) (policy.Effect, error) {
		if a.Full && (a.Marked || a.Target != "") || a.Marked && a.Target != "" {
			return policy.Effect{}, errors.New("full, target and marked cannot be used together; choose one")
		}
		return viewEffect()
	}, func(ctx context.Context, a browserScreenshotArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			img, err := p.Pictures.Capture(ctx, pane.ScreenshotOptions{Full: a.Full, Target: a.Target, Marked: a.Marked})
			done := okResult("stored a picture of pane %s, %d bytes, in the journal; one pixel is one CSS pixel", a.Pane,
				len(img))
			done.Image = img
			return done, err
		})
	})
}
