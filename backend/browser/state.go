package browser

import (
	"context"
	"fmt"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// Info is the pane as lists show it.
func (p *Pane) Info() pane.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// change is the one way to alter what mu guards: it tells everyone who waits.
func (p *Pane) change(f func()) {
	p.mu.Lock()
	before := p.info
	f()
	p.info.Notice, p.info.Problem = p.loadNotice, p.loadError
	p.info.Loading = p.ctx.Err() == nil && (p.loading || p.navigation != nil && !p.navigation.begun)
	if p.processError != "" {
		p.info.Problem = p.processError
	}
	if p.info != before {
		p.rev++
		if p.ctx.Err() == nil { // closing has its own news
			p.announce() // within the lock, to keep the order
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	p.screencast.notifyViewers()
}

// announce tells of the pane, unless it is nobody's; mu is held.
func (p *Pane) announce() {
	if !p.scriptless {
		p.m.news.changed(p.info)
	}
}

// wait returns when ready holds, which is called under mu after each change.
func (p *Pane) wait(ctx context.Context, ready func() bool) error {
	for {
		p.mu.Lock()
		ok, moved := ready(), p.changed
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return cdp.Cause(ctx)
		}
	}
}

func (p *Pane) setAddress(address string) {
	p.change(func() { p.info.URL = sanitize.Line(address, 4096) })
}

// notice shows something until the user acts or the page changes.
func (p *Pane) notice(format string, args ...any) {
	p.change(func() { p.loadNotice = fmt.Sprintf(format, args...) })
}

// Notice shows the user something beside the page, until they act.
func (p *Pane) Notice(words string) { p.notice("%s", sanitize.Line(words, 300)) }

// setLoadError says why there is no page to be seen, until the next one.
func (p *Pane) setLoadError(format string, args ...any) {
	p.change(func() { p.loadError = fmt.Sprintf(format, args...) })
}

func (p *Pane) overlayNow() pane.Overlay {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.overlay
}
