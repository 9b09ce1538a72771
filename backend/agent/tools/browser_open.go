package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserOpenArgs struct {
	URL   string `json:"url"`
	Pane  string `json:"pane,omitempty"`
	Title string `json:"title,omitempty"`
	Size  string `json:"size,omitempty"`
}

func browserOpen(r Deps) (Tool, error) {
	return defineTool("browser_open", func(_ context.Context, a browserOpenArgs) (policy.Effect, error) {
		if a.Title != "" {
			if err := validateTitle(a.Title); err != nil {
				return policy.Effect{}, err
			}
		}
		e, err := addressEffect(a.URL, policy.ReadOnly, policy.NetworkGet)
		if strings.HasPrefix(a.URL, "data:image/") { // contains the whole image, so no host is contacted
			e, err = policy.Effect{Risk: policy.ReadOnly}, nil
		}
		if err != nil || a.Pane == "" {
			return e, err
		}
		p, err := r.Browsers.Get(a.Pane)
		if err != nil {
			return e, err
		}
		return effectInPane(p.State.Info(), e), nil
	}, func(ctx context.Context, a browserOpenArgs) goal.Result {
		p, err := r.Browsers.Open(ctx, a.Pane, a.URL, goal.PageSize(a.Size))
		if err == nil && a.Title != "" {
			err = r.Panes.Name(p.Pane, a.Title)
		}
		if err != nil {
			return failedResult("%s", err)
		}
		return r.act(ctx, p.Pane, func(at Browser) (goal.Result, error) { return r.openedPage(ctx, p, at), nil })
	})
}

// openedPage returns the first part of the snapshot of a loaded page, or the page's title if a question blocks the page
// or it cannot be read yet.
func (d Deps) openedPage(ctx context.Context, p Page, at Browser) goal.Result {
	head := fmt.Sprintf("pane %s is at %s", p.Pane, p.URL)
	q, blocked := at.Prompts.OpenPrompt()
	switch {
	case blocked:
		head += ", and waits: " + describePrompt(q)
	case at.State.Info().Loading:
		head += ", and is still loading"
	}
	s := pane.Snapshot{Text: p.Title}
	if !blocked && p.URL != "about:blank" {
		r, isPDF, err := d.readPDF(ctx, p.Pane, at, 0)
		if isPDF && err == nil {
			r.Text = head + ", a PDF; browser_read reads its text\n" + r.Text
			return r
		}
		if err == nil {
			s, err = at.Reader.SnapshotPart(ctx, pane.SnapshotOptions{})
		}
		if err != nil {
			s = pane.Snapshot{Text: p.Title + "\nThe page could not be read: " + err.Error()}
		}
	}
	r := pageResult(p.Pane, s.Text, s.Next, s.Total)
	r.Text = head + "\n" + r.Text
	return r
}
