package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/goal"
)

// Navigate loads an address (see Address) and returns when the document is
// loaded, or is still loading some seconds after the server answered. A pane
// whose page or browser is gone gets a new one.
func (p *Pane) Navigate(ctx context.Context, text string) error {
	address, err := p.m.validateAddress(text)
	if err == nil {
		err = p.checkDriver(ctx)
	}
	if err != nil {
		return err
	}
	return p.navigate(ctx, address)
}

// navigate is Navigate by whomever, to an address that is allowed.
func (p *Pane) navigate(ctx context.Context, address string) error {
	outer := ctx
	ctx, v := p.startNavigation(ctx, address)
	defer p.endNavigation(v)
	return p.navigationCancelError(outer, p.runNavigation(ctx, address))
}

// runNavigation is navigate once the navigation has begun.
func (p *Pane) runNavigation(ctx context.Context, address string) error {
	ctx, cancel := p.beginNavigation(ctx)
	defer cancel(nil)
	p.freeIfHung(ctx)
	pg, err := p.ensurePage(ctx)
	if err != nil {
		return fmt.Errorf("loading %s: %w", sanitize.Line(address, 200), err)
	}
	moves := 0
	p.change(func() { // what a window was opened for is given up
		p.loadNotice, p.loadError, moves, p.load.empty = "", "", p.load.moves, ""
	})
	var result *proto.PageNavigateResult
	err = pg.do(ctx, navigateLimit, "loading "+sanitize.Line(address, 200), func(c proto.Client) error {
		result, err = cdp.Call(c, proto.PageNavigate{URL: address})
		return err
	})
	switch {
	case errors.Is(err, errPromptOpen): // the answer decides how it continues
		return nil
	case err != nil:
		// Also before another: until the server answers, or this is stopped, Chromium
		// passes nothing on to the page, which would be taken for one that hangs.
		pg.post(proto.PageStopLoading{})
		return err
	case result.ErrorText == "net::ERR_ABORTED":
		return p.navigationAborted(ctx, address, moves)
	case result.ErrorText != "":
		return p.navigationError(address, result.ErrorText)
	case result.LoaderID == "": // a move within the document
		return p.awaitLoad(ctx, pg, func() bool { return p.load.moves > moves || p.info.URL == address })
	}
	err = p.awaitLoad(ctx, pg, func() bool { return slices.Contains(p.load.shown, result.LoaderID) && p.load.done() && !p.loading })
	if moves == 0 { // the empty page that every pane begins with is no place to go back to
		pg.post(proto.PageResetNavigationHistory{})
		p.requestHistory()
	}
	return err
}

// beginNavigation is what every way to another document begins with: what the page waits
// for is dismissed, and a page that hangs is freed. The context ends when the
// page asks something, and for the agent when a user takes over.
func (p *Pane) beginNavigation(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.dismiss(ctx)
	p.freeHung(ctx)
	_, agent := goal.RunOf(ctx)
	ctx, calm := p.withoutPrompts(ctx)
	if !agent {
		return ctx, calm
	}
	ctx, loose := p.withLease(ctx)
	return ctx, func(err error) {
		loose(err)
		calm(err)
	}
}

// navigationAborted tells what stopped a navigation: a download, of which the news may
// come a moment later, another navigation that was faster, or an answer
// without a page.
func (p *Pane) navigationAborted(outer context.Context, address string, moves int) error {
	ctx, cancel := context.WithTimeout(outer, p.m.limits.hung)
	defer cancel()
	note := ""
	began := len(p.Downloads())
	err := p.wait(ctx, func() bool {
		note = p.loadNotice
		return note != "" || p.load.moves > moves || len(p.downloads) != began
	})
	switch {
	case errors.Is(err, errPromptOpen):
		return nil
	case note != "":
		return fmt.Errorf("loading %s: %s", sanitize.Line(address, 200), note)
	case err == nil:
		return nil
	case p.takeRecentAnswer(): // what that answer ended took this along
		return p.runNavigation(outer, address)
	}
	return fmt.Errorf("loading %s: the server gave no page to show, and no download has begun", sanitize.Line(address, 200))
}

// takeRecentAnswer is true once after an answer.
func (p *Pane) takeRecentAnswer() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	lately := time.Since(p.answered) < 3*time.Second
	p.answered = time.Time{}
	return lately
}

// navigationError turns Chromium's words for a failed navigation into ours.
func (p *Pane) navigationError(address, code string) error {
	address = sanitize.Line(address, 200)
	why := map[string]string{
		"net::ERR_CONNECTION_REFUSED":       "nothing listens there: is the server running?",
		"net::ERR_NAME_NOT_RESOLVED":        "there is no such host",
		"net::ERR_INTERNET_DISCONNECTED":    "there is no network",
		"net::ERR_CONNECTION_TIMED_OUT":     "the server does not answer",
		"net::ERR_EMPTY_RESPONSE":           "the server closed the connection without an answer",
		"net::ERR_TOO_MANY_REDIRECTS":       "it redirects in a circle",
		"net::ERR_INVALID_AUTH_CREDENTIALS": "it wants a login",
		"net::ERR_BLOCKED_BY_CLIENT":        "it was blocked",
		"net::ERR_UNSAFE_PORT":              "Chromium does not open this port",
	}[code]
	if why == "" && strings.HasPrefix(code, "net::ERR_CERT_") {
		why = "its certificate is not valid"
	}
	if why == "" {
		why = "it could not be loaded"
	}
	err := fmt.Errorf("loading %s: %s (%s)", address, why, code)
	p.setLoadError("%s", err)
	return err
}

// awaitLoad waits for the document, but not forever: a page that never stops
// loading is a page all the same. Only a page that is gone is an error.
func (p *Pane) awaitLoad(ctx context.Context, pg *page, ready func() bool) error {
	ctx, cancel := cdp.JoinContexts(ctx, pg.alive)
	defer cancel(nil)
	defer time.AfterFunc(p.m.limits.load, func() { cancel(ErrTimeout) }).Stop()
	if err := p.wait(ctx, ready); err != nil && !errors.Is(err, ErrTimeout) && !errors.Is(err, errPromptOpen) {
		return fmt.Errorf("waiting for the page: %w", err)
	}
	return nil
}

// ensurePage gives the page to navigate: the present one, the crashed one renewed,
// or a new one.
func (p *Pane) ensurePage(ctx context.Context) (*page, error) {
	if err := p.awaitAttach(ctx); err != nil {
		return nil, err
	}
	pg, err := p.currentPage()
	switch {
	case errors.Is(err, ErrCrashed):
		p.change(func() {
			if p.page != nil && p.page.alive.Err() != nil && p.page.engine.Alive.Err() == nil {
				p.page = p.page.renewed()
				p.load, p.network, p.processError = load{moves: p.load.moves}, networkActivity{}, ""
				p.info.Running = true
			}
		})
	case errors.Is(err, ErrEnded):
		if err := p.attachNew(ctx); err != nil {
			return nil, err
		}
	default:
		return pg, err
	}
	return p.currentPage()
}

// awaitAttach waits for a page that is just being attached: it would go to the
// address before anybody listens to where it went.
func (p *Pane) awaitAttach(ctx context.Context) error {
	select {
	case p.attachToken <- struct{}{}:
		<-p.attachToken
		return nil
	case <-p.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
}

// freeHung frees a page that let a call time out, if it still does not answer:
// it would not even hear that it shall go. Ending its script is tried first.
// Asking before that matters: with nothing to end, the order would end the next
// script. A page that continues all the same (asking alert after alert, say) loses
// its process, as in a crash.
func (p *Pane) freeHung(ctx context.Context) {
	p.mu.Lock()
	pg, hung := p.page, p.unresponsive
	p.unresponsive = false
	p.mu.Unlock()
	if !hung || pg == nil || pg.alive.Err() != nil {
		return
	}
	if pg.isResponsive(ctx, p.m.limits.hung) {
		return
	}
	pg.post(proto.RuntimeTerminateExecution{})
	if pg.isResponsive(ctx, p.m.limits.hung) {
		return
	}
	pg.post(proto.PageCrash{})
	select {
	case <-pg.alive.Done():
	case <-ctx.Done():
	case <-time.After(p.m.limits.hung):
	}
}

// freeIfHung frees a page that is to be left if it hangs and nobody has noticed: the
// next document may have to wait for the same process, and once it waits, nothing
// that would free the page reaches it.
func (p *Pane) freeIfHung(ctx context.Context) {
	if pg, err := p.currentPage(); err == nil && !pg.isResponsive(ctx, p.m.limits.input) {
		p.change(func() { p.unresponsive = p.page == pg })
		p.freeHung(ctx)
	}
}

// isResponsive says whether a page takes note of anything within the limit.
func (pg *page) isResponsive(ctx context.Context, limit time.Duration) bool {
	err := pg.do(ctx, limit, "asking the page", func(c proto.Client) error {
		_, err := cdp.Call(c, proto.RuntimeEvaluate{Expression: "1"})
		return err
	})
	return !errors.Is(err, ErrTimeout)
}

// Reload loads the page again, and brings back one that is gone. Of a page that
// is on its way it is that one: else the page before would come instead of it.
func (p *Pane) Reload(ctx context.Context) error {
	p.mu.Lock()
	address := ""
	if p.navigation != nil {
		address = p.navigation.address
	}
	p.mu.Unlock()
	if address == "" { // a page that has to be ended is one to bring back
		p.dismiss(ctx)
		p.freeHung(ctx)
	}
	switch _, err := p.currentPage(); {
	case err == nil && address != "":
		return p.navigate(ctx, address)
	case errors.Is(err, ErrCrashed), errors.Is(err, ErrEnded):
		return p.navigate(ctx, p.Info().URL)
	case err != nil:
		return err
	}
	return p.navigateBy(ctx, "reloading", func(c proto.Client) error { return cdp.CallNoResult(c, proto.PageReload{}) })
}

// Back goes to the page before. At the first page it is an error.
func (p *Pane) Back(ctx context.Context) error { return p.historyStep(ctx, -1) }

// Forward undoes Back.
func (p *Pane) Forward(ctx context.Context) error { return p.historyStep(ctx, +1) }

func (p *Pane) historyStep(ctx context.Context, by int) error {
	if err := p.checkDriver(ctx); err != nil {
		return err
	}
	what, end := "going back", "there is no earlier page"
	if by > 0 {
		what, end = "going forward", "there is no later page"
	}
	return p.navigateBy(ctx, what, func(c proto.Client) error {
		history, err := cdp.Call(c, proto.PageGetNavigationHistory{})
		if err != nil {
			return err
		}
		i := history.CurrentIndex + by
		if i < 0 || i >= len(history.Entries) {
			return errors.New(end)
		}
		return cdp.CallNoResult(c, proto.PageNavigateToHistoryEntry{EntryID: history.Entries[i].ID})
	})
}

// navigateBy does something that leads to another document and waits for that.
func (p *Pane) navigateBy(ctx context.Context, what string, f func(proto.Client) error) error {
	outer := ctx
	ctx, v := p.startNavigation(ctx, "")
	defer p.endNavigation(v)
	return p.navigationCancelError(outer, p.runNavigationBy(ctx, what, f))
}

// runNavigationBy is navigateBy once the navigation has begun.
func (p *Pane) runNavigationBy(ctx context.Context, what string, f func(proto.Client) error) error {
	ctx, cancel := p.beginNavigation(ctx)
	defer cancel(nil)
	pg, err := p.currentPage()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	moves := 0
	p.change(func() { p.loadNotice, p.loadError, moves = "", "", p.load.moves })
	if err := pg.do(ctx, callLimit, what, f); errors.Is(err, errPromptOpen) {
		return nil
	} else if err != nil {
		return err
	}
	return p.awaitLoad(ctx, pg, func() bool { return p.load.moves > moves && p.load.done() && !p.loading })
}

// Resize gives the page a new viewport, in CSS pixels; extreme sizes are
// brought within 64 and 4096.
func (p *Pane) Resize(ctx context.Context, width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("resizing to %d x %d: both must be more than 0", width, height)
	}
	width, height = bound(width, height)
	same := false
	p.change(func() {
		same = p.width == width && p.height == height
		p.width, p.height = width, height
	})
	pg, err := p.currentPage()
	if same || errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) { // the next page takes it over
		return nil
	}
	if err != nil {
		return fmt.Errorf("resizing: %w", err)
	}
	p.applyViewport(pg)
	p.screencast.refresh()
	return nil
}

func bound(width, height int) (int, int) {
	return min(max(width, 64), 4096), min(max(height, 64), 4096)
}

func (p *Pane) requestHistory() {
	select {
	case p.historyChanged <- struct{}{}:
	default:
	}
}

// followHistory keeps CanBack and CanFwd true to the page.
func (p *Pane) followHistory() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.historyChanged:
		}
		pg, err := p.currentPage()
		if err != nil {
			continue
		}
		err = pg.do(p.ctx, callLimit, "reading the history", func(c proto.Client) error {
			history, err := cdp.Call(c, proto.PageGetNavigationHistory{})
			if err == nil {
				p.change(func() {
					p.info.CanBack = history.CurrentIndex > 0
					p.info.CanFwd = history.CurrentIndex < len(history.Entries)-1
				})
			}
			return err
		})
		if err != nil {
			p.m.cfg.Log.Debug("browser pane", "pane", p.id, "error", err)
		}
	}
}
