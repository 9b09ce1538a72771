package tasks_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/session"
	"goalpost/backend/panes/browser"
)

const ours = "01TASKS"

// panes are the browser panes of the only goal.
type panes struct {
	all  *browser.Manager
	last atomic.Int64
}

func (p *panes) name() string { return fmt.Sprintf("b%d", p.last.Add(1)) }

func (p *panes) Open(ctx context.Context, id, url string, _ goal.PageSize) (tools.Page, error) {
	b, ok := p.all.Get(id)
	var err error
	if ok {
		err = b.Navigation.Navigate(ctx, url)
	} else {
		b, err = p.all.Open(ctx, browser.Options{ID: p.name(), URL: url, GoalID: ours})
	}
	if err != nil {
		return tools.Page{}, fmt.Errorf("open: %w", err)
	}
	info := b.State.Info()
	return tools.Page{Pane: info.ID, URL: info.URL, Title: info.Title}, nil
}

func (p *panes) Get(id string) (tools.Browser, error) {
	b, ok := p.all.Get(id)
	if !ok {
		return tools.Browser{}, fmt.Errorf("there is no pane %q", id)
	}
	return session.PageParts(b), nil
}

func (p *panes) List() []pane.Info { return p.all.List() }

func (p *panes) IsShared(string) bool                       { return false }
func (p *panes) Focus(string) error                         { return nil }
func (p *panes) Name(_, _ string) error                     { return nil }
func (p *panes) Close(ctx context.Context, id string) error { return p.all.ClosePane(ctx, id) }
