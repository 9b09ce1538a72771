package panes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/browser"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/verify/check"
)

// checkPages opens pages for checks that look at them, as one goal's pages would
// see the world: its network, its cookies, and nothing of its agent's.
type checkPages struct {
	panes *Registry
	goal  goal.ID
}

// CheckPagesFor is nil where no page can be opened: there is no Chromium.
func (p *Registry) CheckPagesFor(id goal.ID) check.Pages {
	if _, err := browser.Find(); errors.Is(err, browser.ErrMissing) {
		return nil
	}
	return checkPages{p, id}
}

// Screenshot takes the picture of an address, or of the address of a pane. A pane of
// which no one else could see the same is shown as it is: its page came from no
// address, or it is one of the user's, which the goal was lent.
func (l checkPages) Screenshot(ctx context.Context, at check.PageTarget) (check.PageCapture, error) {
	sight := check.PageCapture{URL: at.URL}
	if at.URL == "" {
		p, err := l.findPane(at.Pane)
		if err != nil {
			return sight, err
		}
		info := p.Info()
		sight.URL, sight.Title = info.URL, info.Title
		if !browser.IsShareableURL(info.URL) || info.Shared {
			sight.Agents = true
			sight.PNG, err = p.Screenshot(ctx, false)
			return sight, wrapPageError(err)
		}
	}
	cookies, err := l.panes.Browsers.Cookies(ctx, string(l.goal))
	if err != nil {
		return sight, wrapPageError(err)
	}
	sight.PNG, err = l.panes.Browsers.ScreenshotURL(ctx, browser.ScreenshotOptions{
		URL:     sight.URL,
		Cookies: cookies,
		GoalID:  string(l.goal),
	})
	return sight, wrapPageError(err)
}

func wrapPageError(err error) error {
	if err != nil {
		return fmt.Errorf("the page cannot be looked at: %w", err)
	}
	return nil
}

// findPane is the named page of the goal, or its newest.
func (l checkPages) findPane(id string) (*browser.Pane, error) {
	own := l.panes.browserPanesOf(l.goal)
	for i := len(own) - 1; i >= 0; i-- {
		if p, ok := l.panes.Browsers.Get(own[i].ID); ok && (id == "" || id == own[i].ID) {
			return p, nil
		}
	}
	if id == "" {
		return nil, errors.New("the goal has no browser pane: open the page that is to be looked at and leave it open")
	}
	return nil, ErrNotYours(id)
}

// browserPanesOf are the browser panes of a goal, in the order in which they were opened.
func (p *Registry) browserPanesOf(id goal.ID) []pane.Info {
	var own []pane.Info
	for _, info := range p.Browsers.List() {
		if p.CanDrive(id, info) {
			own = append(own, info)
		}
	}
	return own
}

// PagesFingerprint is what the goal's pages show, for the question whether anything
// moved. A page that cannot be read now counts by its address.
func (p *Registry) PagesFingerprint(ctx context.Context, id goal.ID) (string, error) {
	var b strings.Builder
	for _, info := range p.browserPanesOf(id) {
		fmt.Fprintf(&b, "%s %s\n", info.ID, info.URL)
		page, ok := p.Browsers.Get(info.ID)
		if !ok {
			continue
		}
		shown, err := page.Fingerprint(ctx)
		if ctx.Err() != nil {
			return "", fmt.Errorf("looking at the goal's pages: %w", ctx.Err())
		}
		if err == nil {
			b.WriteString(shown)
		}
	}
	return b.String(), nil
}

// ErrNotYours refuses a goal a pane that it has not.
func ErrNotYours(id string) error {
	return fmt.Errorf("there is no pane %q of this goal; open one first", id)
}
