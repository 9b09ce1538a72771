package app

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/browser"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/process"
	"goalpost/backend/tools"
)

// goalPanes are the panes as one goal sees them: only its own.
type goalPanes struct {
	app      *App
	goal     goal.ID
	dir      string
	launcher process.Launcher
	env      []string
	typed    typed
}

// lease journals that the goal got a pane.
func (p *goalPanes) lease(ctx context.Context, id string, k pane.Kind) error {
	run, ok := goal.RunOf(ctx)
	if !ok || run.Goal != p.goal {
		return errors.New("panes are leased inside a run only")
	}
	if err := p.app.store.Append(context.WithoutCancel(ctx), run, &event.Lease{Pane: id, Kind: k, Held: true}); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

func notYours(id string) error {
	return fmt.Errorf("there is no pane %q of this goal; open one first", id)
}

type goalBrowsers struct{ *goalPanes }

func (b goalBrowsers) Open(ctx context.Context, id, url string) (tools.Page, error) {
	if id != "" {
		p, err := b.pane(id)
		if err != nil {
			return tools.Page{}, err
		}
		if err := p.Navigate(ctx, url); err != nil {
			return tools.Page{}, fmt.Errorf("pane %s: %w", id, err)
		}
		return page(p)
	}
	p, err := b.app.browsers.Open(ctx, browser.Options{ID: b.app.panes.name(pane.Browser), URL: url, GoalID: string(b.goal)})
	if err != nil {
		return tools.Page{}, fmt.Errorf("open browser: %w", err)
	}
	if err := b.lease(ctx, p.Info().ID, pane.Browser); err != nil {
		return tools.Page{}, err
	}
	return page(p)
}

// page says where a pane arrived. A page that did not load is a failure that names the pane.
func page(p *browser.Pane) (tools.Page, error) {
	info := p.Info()
	if info.Problem != "" {
		return tools.Page{}, fmt.Errorf("pane %s is open at %s, but: %s", info.ID, info.URL, info.Problem)
	}
	return tools.Page{Pane: info.ID, URL: info.URL, Title: info.Title}, nil
}

func (b goalBrowsers) pane(id string) (*browser.Pane, error) {
	p, ok := b.app.browsers.Get(id)
	if !ok || !b.app.panes.drives(b.goal, p.Info()) {
		return nil, notYours(id)
	}
	return p, nil
}

func (b goalBrowsers) URL(id string) (string, error) {
	p, err := b.pane(id)
	if err != nil {
		return "", err
	}
	return p.Info().URL, nil
}

func (b goalBrowsers) Snapshot(ctx context.Context, id string) (string, error) {
	p, err := b.pane(id)
	if err != nil {
		return "", err
	}
	s, err := p.Snapshot(ctx)
	if err != nil {
		return "", fmt.Errorf("pane %s: %w", id, err)
	}
	return fmt.Sprintf("%s — %s\n%s", s.Title, s.URL, s.Text), nil
}

func (b goalBrowsers) Touch(ctx context.Context, id, target string, enter bool) (tools.Touch, error) {
	p, err := b.pane(id)
	if err != nil {
		return tools.Touch{}, err
	}
	t, err := p.Touches(ctx, target, enter)
	if err != nil {
		return tools.Touch{}, fmt.Errorf("pane %s: %w", id, err)
	}
	touch := tools.Touch{Link: t.Link, Method: t.Method, Action: t.Action, Payment: t.Payment}
	for _, f := range t.Fields {
		touch.Fields = append(touch.Fields, tools.Field(f))
	}
	return touch, nil
}

func (b goalBrowsers) Click(ctx context.Context, id, target string) (string, error) {
	p, err := b.pane(id)
	if err != nil {
		return "", err
	}
	acted, err := p.Click(ctx, target)
	return told(id, acted, err)
}

func (b goalBrowsers) Type(ctx context.Context, id, target, text string, submit, clear bool) (string, error) {
	p, err := b.pane(id)
	if err != nil {
		return "", err
	}
	acted, err := p.Type(ctx, target, text, submit, clear)
	return told(id, acted, err)
}

func told(id string, a browser.Acted, err error) (string, error) {
	if err != nil {
		return "", fmt.Errorf("pane %s: %w", id, err)
	}
	return fmt.Sprintf("%s — %s\n%s", a.Title, a.URL, a.Changed), nil
}

func (b goalBrowsers) Screenshot(ctx context.Context, id string, full bool) ([]byte, error) {
	p, err := b.pane(id)
	if err != nil {
		return nil, err
	}
	img, err := p.Screenshot(ctx, full)
	if err != nil {
		return nil, fmt.Errorf("pane %s: %w", id, err)
	}
	return img, nil
}
