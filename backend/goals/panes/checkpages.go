package panes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser"
)

// checkPages opens pages for checks. They use the network and the cookies of one goal, but nothing else that its agent
// could have prepared.
type checkPages struct {
	panes *Registry
	goal  goal.ID
	size  goal.PageSize
}

// CheckPagesFor returns the pages for the checks of a goal, nil if there is no Chromium.
func (r *Registry) CheckPagesFor(id goal.ID, size goal.PageSize) check.Pages {
	if _, err := browser.Find(); errors.Is(err, browser.ErrMissing) {
		return nil
	}
	return checkPages{r, id, size}
}

// Screenshot takes a picture of an address, or of the address that a pane shows, in a new page. It takes the picture of
// the pane itself if a new page would show something else: the page has no address, or the user shares the pane.
func (c checkPages) Screenshot(ctx context.Context, at check.PageTarget) (check.PageCapture, error) {
	capture := check.PageCapture{URL: at.URL}
	if at.URL == "" {
		p, err := c.findPane(at.Pane)
		if err != nil {
			return capture, err
		}
		info := p.State.Info()
		capture.URL, capture.Title = info.URL, info.Title
		if !browser.IsShareableURL(info.URL) || info.Shared {
			capture.Agents = true
			picture, err := p.Pictures.CapturePage(ctx, at.Whole)
			return withPicture(capture, picture), wrapPageError(err)
		}
	}
	cookies, err := c.panes.Browsers.Cookies(ctx, string(c.goal))
	if err != nil {
		return capture, wrapPageError(err)
	}
	width, height, err := c.size.Pixels()
	if err != nil {
		return capture, err
	}
	picture, err := c.panes.Browsers.ScreenshotURL(ctx, browser.ScreenshotOptions{
		URL:     capture.URL,
		Width:   width,
		Height:  height,
		Cookies: cookies,
		GoalID:  string(c.goal),
		Whole:   at.Whole,
	})
	return withPicture(capture, picture), wrapPageError(err)
}

func withPicture(capture check.PageCapture, picture browser.PagePicture) check.PageCapture {
	capture.PNG, capture.From, capture.To, capture.Height = picture.Image, picture.From, picture.To, picture.Height
	return capture
}

func wrapPageError(err error) error {
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	return nil
}

// findPane returns the goal's browser pane with an id, or its newest one if id is "".
func (c checkPages) findPane(id string) (*browser.Pane, error) {
	list := c.panes.BrowserPanesOf(c.goal)
	for i := len(list) - 1; i >= 0; i-- {
		if p, ok := c.panes.Browsers.Get(list[i].ID); ok && (id == "" || id == list[i].ID) {
			return p, nil
		}
	}
	if id == "" {
		return nil, errors.New("the goal has no browser pane: open the page to check, and leave it open")
	}
	return nil, NotYoursError(id)
}

// BrowserPanesOf lists the browser panes of a goal in the order in which they were opened.
func (r *Registry) BrowserPanesOf(id goal.ID) []pane.Info {
	var list []pane.Info
	for _, info := range r.Browsers.List() {
		if r.CanDrive(id, info) {
			list = append(list, info)
		}
	}
	return list
}

// PagesFingerprint returns a text that changes when the goal's pages change, as a sign of progress. For a page that
// cannot be read, it uses the address.
func (r *Registry) PagesFingerprint(ctx context.Context, id goal.ID) (string, error) {
	var b strings.Builder
	for _, info := range r.BrowserPanesOf(id) {
		fmt.Fprintf(&b, "%s %s\n", info.ID, info.URL)
		page, ok := r.Browsers.Get(info.ID)
		if !ok {
			continue
		}
		fingerprint, err := page.Reader.Fingerprint(ctx)
		if ctx.Err() != nil {
			return "", fmt.Errorf("reading the goal's pages: %w", ctx.Err())
		}
		if err == nil {
			b.WriteString(fingerprint)
		}
	}
	return b.String(), nil
}

// NotYoursError is the agent's error for a pane that its goal does not have.
func NotYoursError(id string) error {
	return fmt.Errorf("there is no pane %q of this goal; open one first", id)
}
