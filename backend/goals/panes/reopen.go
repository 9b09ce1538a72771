package panes

import (
	"context"
	"fmt"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser"
)

// maxClosedPages is how many closed pages can be reopened.
const maxClosedPages = 25

// saveClosedTimeout is how long a page that does not answer may delay its closing.
const saveClosedTimeout = time.Second

// closedPages are the pages of the user that were closed, the latest last.
type closedPages struct {
	mu   sync.Mutex
	list []browser.SavedPage
}

// add remembers a page of the user that is being closed. A private page and developer tools leave nothing behind.
func (c *closedPages) add(ctx context.Context, p *browser.Pane) {
	info := p.State.Info()
	if info.GoalID != "" && !info.Shared || info.Profile == "" || info.Inspects != "" || info.URL == blankPage {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, saveClosedTimeout)
	defer cancel()
	saved := p.Save(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, saved)
	c.list = c.list[max(0, len(c.list)-maxClosedPages):]
}

// take removes and returns the page that was closed last; false if there is none.
func (c *closedPages) take() (browser.SavedPage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.list) == 0 {
		return browser.SavedPage{}, false
	}
	last := c.list[len(c.list)-1]
	c.list = c.list[:len(c.list)-1]
	return last, true
}

// blankPage is the address of a page without one.
const blankPage = "about:blank"

// ReopenBrowser opens the page of the user that was closed last, where it was scrolled to. Without one, it returns nil.
func (r *Registry) ReopenBrowser() (*pane.Info, error) {
	saved, ok := r.closed.take()
	if !ok {
		return nil, nil
	}
	saved.ID = r.NewID(pane.Browser)
	p, err := r.Browsers.OpenAsleep(saved)
	if err != nil {
		return nil, fmt.Errorf("reopen the page: %w", err)
	}
	info := p.State.Info()
	return &info, nil
}
