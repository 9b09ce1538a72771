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

// checkPages opens pages for checks. They have the network and the cookies of one goal, but nothing else that
// its agent could prepare.
type checkPages struct {
	panes *Registry
	goal  goal.ID
}

// CheckPagesFor returns nil if there is no Chromium.
func (p *Registry) CheckPagesFor(id goal.ID) check.Pages {
	if _, err := browser.Find(); errors.Is(err, browser.ErrMissing) {
		return nil
	}
	return checkPages{p, id}
}

// Screenshot takes a picture of an address, or of the address that a pane shows. It takes the pane itself if a
// new page would show something else: its page has no address, or it is a pane that the user shares.
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
		return fmt.Errorf("open the page: %w", err)
	}
	return nil
}

// findPane returns the named page of the goal, or its newest.
func (l checkPages) findPane(id string) (*browser.Pane, error) {
	own := l.panes.BrowserPanesOf(l.goal)
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

// BrowserPanesOf lists the browser panes of a goal in the order in which they were opened.
func (p *Registry) BrowserPanesOf(id goal.ID) []pane.Info {
	var own []pane.Info
	for _, info := range p.Browsers.List() {
		if p.CanDrive(id, info) {
			own = append(own, info)
		}
	}
	return own
}

// PagesFingerprint changes when the goal's pages change; it shows whether the goal makes progress. For a page
// that cannot be read now it uses the address.
func (p *Registry) PagesFingerprint(ctx context.Context, id goal.ID) (string, error) {
	var b strings.Builder
	for _, info := range p.BrowserPanesOf(id) {
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

// ErrNotYours refuses a pane that the goal does not have.
func ErrNotYours(id string) error {
	return fmt.Errorf("there is no pane %q of this goal; open one first", id)
}
