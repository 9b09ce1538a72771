package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// ScreenshotOptions describes a picture of ScreenshotURL.
type ScreenshotOptions struct {
	URL           string
	Width, Height int // CSS pixels; 0 = 1280 x 800
	Cookies       []Cookie
	Whole         bool   // the whole page instead of the viewport
	GoalID        string // the goal whose network the page uses, see Config.ContextProxy; "" = this machine's
}

// ScreenshotURL opens an address in a new context, with the given cookies and nothing else, waits
// until it is loaded and quiet, and returns a PNG. The only script of ours in it
// is the one that finds secrets. Nobody can drive the page, and nothing of it remains. A page
// that does not load is an error.
func (m *Manager) ScreenshotURL(ctx context.Context, s ScreenshotOptions) (picture PagePicture, err error) {
	address, err := m.rules.validateAddress(s.URL)
	if err != nil {
		return picture, err
	}
	m.mu.Lock()
	m.shots++
	name := fmt.Sprintf("shot-%d", m.shots)
	closed := m.closed
	if !closed {
		m.work.Add(1)
		defer m.work.Done()
	}
	m.mu.Unlock()
	if closed {
		return picture, ErrClosed
	}
	p := newPane(m, Options{ID: name, GoalID: name, Width: s.Width, Height: s.Height, scriptless: true, network: s.GoalID})
	defer func() {
		clean := context.WithoutCancel(ctx)
		err = errors.Join(err, p.close(clean))
		e := m.findProcess(goalProcess)
		if e != nil && e.Alive.Err() == nil {
			err = errors.Join(err, e.disposeContext(clean, name))
		}
	}()
	defer p.screencast.Use()()
	ctx, cancel := cdp.JoinContexts(ctx, m.ctx)
	defer cancel(nil)
	if err := p.attachNew(ctx); err != nil {
		return picture, fmt.Errorf("a picture of %s: %w", text.SanitizeLine(address, 200), err)
	}
	pg, err := p.State.currentPage()
	if err != nil {
		return picture, err
	}
	if len(s.Cookies) > 0 {
		if err := pg.process.setCookies(ctx, pg.process.existingContext(name), s.Cookies); err != nil {
			return picture, err
		}
	}
	p.State.trackNetwork(pg, true)
	if err := p.Navigation.navigate(ctx, address); err != nil {
		return picture, err
	}
	if info := p.State.Info(); info.Problem != "" {
		return picture, fmt.Errorf("a picture of %s: %s", text.SanitizeLine(address, 200), info.Problem)
	}
	p.Actions.waitUntilSettled(ctx, pg)
	shot := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng}
	if err := picture.prepare(ctx, pg, &shot, s.Whole); err != nil {
		return picture, err
	}
	picture.Image, err = p.Pictures.captureRedacted(ctx, pg, shot)
	return picture, err
}
