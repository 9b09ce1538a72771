package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Navigate loads an address (see Address). It returns when the document is loaded, or is still
// loading some seconds after the server answered. A pane whose page or browser is gone gets a new
// one.
func (n *Navigation) Navigate(ctx context.Context, text string) error {
	address, err := n.state.m.rules.validateAddress(text)
	if err == nil {
		err = n.driver.checkDriver(ctx)
	}
	if err == nil && n.state.Info().Inspects != "" {
		err = fmt.Errorf("%w: developer tools cannot show another page", ErrRefused)
	}
	if err != nil {
		return err
	}
	return n.navigate(ctx, address)
}

// navigate is Navigate for any caller, to an address that has been validated.
func (n *Navigation) navigate(ctx context.Context, address string) error {
	outer := ctx
	ctx, v := n.startNavigation(ctx, address)
	defer n.endNavigation(v)
	return n.navigationCancelError(outer, n.runNavigation(ctx, address))
}

// runNavigation is navigate after startNavigation.
func (n *Navigation) runNavigation(ctx context.Context, address string) error {
	ctx, cancel := n.beginNavigation(ctx)
	defer cancel(nil)
	n.freeIfHung(ctx)
	pg, err := n.ensurePage(ctx)
	if err != nil {
		return fmt.Errorf("loading %s: %w", text.SanitizeLine(address, 200), err)
	}
	moves := 0
	n.state.change(func() { // the new window's own document is given up
		n.state.loadNotice, n.state.loadError, moves, n.state.load.empty = "", "", n.state.load.moves, ""
	})
	var result *proto.PageNavigateResult
	err = pg.do(ctx, navigateTimeout, "loading "+text.SanitizeLine(address, 200), func(c proto.Client) error {
		result, err = cdp.Call(c, proto.PageNavigate{URL: address})
		return err
	})
	switch {
	case errors.Is(err, errPromptOpen): // the answer decides what happens next
		return nil
	case err != nil:
		// This is also needed before another navigation: until the server answers or this command stops the loading,
		// Chromium passes nothing on to the page, which would then seem to hang.
		pg.Post(proto.PageStopLoading{})
		return err
	case result.ErrorText == "net::ERR_ABORTED":
		return n.navigationAborted(ctx, address, moves)
	case result.ErrorText != "":
		return n.navigationError(address, result.ErrorText)
	case result.LoaderID == "": // a navigation within the document
		return n.awaitLoad(ctx, pg, func() bool { return n.state.load.moves > moves || n.state.info.URL == address })
	}
	err = n.awaitLoad(ctx, pg, func() bool {
		return slices.Contains(n.state.load.documents, result.LoaderID) && n.state.load.isLoaded() && !n.state.loading
	})
	if moves == 0 { // history must not go back to the empty page that every pane begins with
		pg.Post(proto.PageResetNavigationHistory{})
		n.requestHistory()
	}
	return err
}

// beginNavigation begins every navigation: it dismisses what the page waits for, and frees a page
// that hangs. The context ends when the page opens a prompt, and for the agent when a user takes
// over.
func (n *Navigation) beginNavigation(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	n.prompts.dismissDialog(ctx)
	n.freeHung(ctx)
	_, agent := goal.RunOf(ctx)
	ctx, cancelPrompts := n.prompts.withoutPrompts(ctx)
	if !agent {
		return ctx, cancelPrompts
	}
	ctx, endLease := n.driver.withLease(ctx)
	return ctx, func(err error) {
		endLease(err)
		cancelPrompts(err)
	}
}

// navigationAborted finds out what stopped a navigation: a download, whose event may come a
// moment later, a faster navigation, or a response without a page.
func (n *Navigation) navigationAborted(outer context.Context, address string, moves int) error {
	ctx, cancel := context.WithTimeout(outer, n.state.m.limits.hung)
	defer cancel()
	note := ""
	began := len(n.downloads.List())
	err := n.state.wait(ctx, func() bool {
		note = n.state.loadNotice
		return note != "" || n.state.load.moves > moves || len(n.downloads.List()) != began
	})
	switch {
	case errors.Is(err, errPromptOpen):
		return nil
	case note != "":
		return fmt.Errorf("loading %s: %s", text.SanitizeLine(address, 200), note)
	case err == nil:
		return nil
	case n.takeRecentAnswer(): // the answer to a prompt ended this one too
		return n.runNavigation(outer, address)
	}
	return fmt.Errorf("loading %s: the server sent no page, and no download has started",
		text.SanitizeLine(address, 200))
}

// takeRecentAnswer returns true once after an answer.
func (n *Navigation) takeRecentAnswer() bool {
	n.state.mu.Lock()
	defer n.state.mu.Unlock()
	isRecent := time.Since(n.prompts.lastAnswer) < 3*time.Second
	n.prompts.lastAnswer = time.Time{}
	return isRecent
}

// navigationError turns Chromium's code of a failed navigation into a message.
func (n *Navigation) navigationError(address, code string) error {
	address = text.SanitizeLine(address, 200)
	why := map[string]string{
		"net::ERR_CONNECTION_REFUSED":       "nothing listens there: is the server running?",
		"net::ERR_NAME_NOT_RESOLVED":        "the host was not found",
		"net::ERR_INTERNET_DISCONNECTED":    "this computer is not connected to a network",
		"net::ERR_CONNECTION_TIMED_OUT":     "the server does not answer",
		"net::ERR_EMPTY_RESPONSE":           "the server closed the connection without an answer",
		"net::ERR_TOO_MANY_REDIRECTS":       "it redirects in a loop",
		"net::ERR_INVALID_AUTH_CREDENTIALS": "it requires a login",
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
	n.state.setLoadError("%s", err)
	return err
}

// awaitLoad waits for the document, but not for ever: a page that never stops loading can still
// be used. It fails only if the page is gone.
func (n *Navigation) awaitLoad(ctx context.Context, pg *page, ready func() bool) error {
	ctx, cancel := cdp.JoinContexts(ctx, pg.alive)
	defer cancel(nil)
	defer time.AfterFunc(n.state.m.limits.load, func() { cancel(ErrTimeout) }).Stop()
	if err := n.state.wait(ctx, ready); err != nil && !errors.Is(err, ErrTimeout) && !errors.Is(err, errPromptOpen) {
		return fmt.Errorf("waiting for the page: %w", err)
	}
	return nil
}

// loadQuietTime is the time without requests after which a loaded page is complete, because scripts fetch more after
// the load event.
const loadQuietTime = 500 * time.Millisecond

// AwaitPageComplete returns when the pane's document has loaded and the page has made no request for loadQuietTime,
// or when the pane or ctx ends.
func (n *Navigation) AwaitPageComplete(ctx context.Context) {
	ctx, cancel := cdp.JoinContexts(ctx, n.state.ctx)
	defer cancel(nil)
	quiet := time.Now() // the start of the time without requests
	for ctx.Err() == nil {
		n.state.mu.Lock()
		net, changed := n.state.network, n.state.changed
		busy := n.state.info.Loading || len(net.open) > 0
		n.state.mu.Unlock()
		if busy {
			quiet = time.Now()
		} else if net.last.After(quiet) {
			quiet = net.last
		}
		rest := loadQuietTime - time.Since(quiet)
		if !busy && rest <= 0 {
			return
		}
		awaitChange(ctx, changed, max(rest, 10*time.Millisecond))
	}
}

// ensurePage returns the page to navigate: the current one, the crashed one renewed, or a new
// one.
func (n *Navigation) ensurePage(ctx context.Context) (*page, error) {
	if err := n.awaitAttach(ctx); err != nil {
		return nil, err
	}
	pg, err := n.state.currentPage()
	switch {
	case errors.Is(err, ErrCrashed):
		n.state.change(func() {
			if n.state.page != nil && n.state.page.alive.Err() != nil && n.state.page.process.Alive.Err() == nil {
				n.state.page = n.state.page.renewed()
				n.state.load, n.state.network, n.state.processError = load{moves: n.state.load.moves}, networkActivity{}, ""
				n.state.info.Running = true
			}
		})
	case errors.Is(err, ErrEnded):
		if err := n.attach(ctx); err != nil {
			return nil, err
		}
	default:
		return pg, err
	}
	return n.state.currentPage()
}

// awaitAttach waits for a page that is being attached: otherwise it would navigate before its
// events are handled.
func (n *Navigation) awaitAttach(ctx context.Context) error {
	select {
	case n.attachToken <- struct{}{}:
		<-n.attachToken
		return nil
	case <-n.state.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
}

// freeHung frees a page that let a call time out, if it still does not answer: it would not process a navigation
// either. It first checks again whether the page answers, because with no script running, the command to terminate
// would end the next script. If the page does not answer, it terminates the script. A page that then still does not
// answer, for example because it opens one alert after another, loses its process, as in a crash.
func (n *Navigation) freeHung(ctx context.Context) {
	n.state.mu.Lock()
	pg, hung := n.state.page, n.state.unresponsive
	n.state.unresponsive = false
	n.state.mu.Unlock()
	if !hung || pg == nil || pg.alive.Err() != nil {
		return
	}
	if pg.isResponsive(ctx, n.state.m.limits.hung) {
		return
	}
	pg.Post(proto.RuntimeTerminateExecution{})
	if pg.isResponsive(ctx, n.state.m.limits.freed) {
		return
	}
	pg.Post(proto.PageCrash{})
	select {
	case <-pg.alive.Done():
	case <-ctx.Done():
	case <-time.After(n.state.m.limits.hung):
	}
}

// freeIfHung frees a page that hangs before it is left, even if no call has timed out yet: the
// next document may have to wait for the same process, and then no command that would free the
// page reaches it.
func (n *Navigation) freeIfHung(ctx context.Context) {
	if pg, err := n.state.currentPage(); err == nil && !pg.isResponsive(ctx, n.state.m.limits.input) {
		n.state.change(func() { n.state.unresponsive = n.state.page == pg })
		n.freeHung(ctx)
	}
}

// isResponsive reports whether a page answers within the limit.
func (p *page) isResponsive(ctx context.Context, limit time.Duration) bool {
	err := p.send(ctx, limit, "asking the page", proto.RuntimeEvaluate{Expression: "1"})
	return !errors.Is(err, ErrTimeout)
}

// Reload reloads the page, and restores one that is gone. During a navigation it repeats the navigation, because
// otherwise the previous page would come back.
func (n *Navigation) Reload(ctx context.Context) error {
	n.state.mu.Lock()
	address := ""
	if n.state.pending != nil {
		address = n.state.pending.address
	}
	n.state.mu.Unlock()
	if address == "" { // a page whose process has to be ended is restored
		n.prompts.dismissDialog(ctx)
		n.freeHung(ctx)
	}
	switch _, err := n.state.currentPage(); {
	case err == nil && address != "":
		return n.navigate(ctx, address)
	case errors.Is(err, ErrCrashed), errors.Is(err, ErrEnded):
		return n.navigate(ctx, n.state.Info().URL)
	case err != nil:
		return err
	}
	return n.navigateBy(ctx, "reloading", func(c proto.Client) error { return cdp.CallNoResult(c, proto.PageReload{}) })
}

// Back goes back in the history. At the first page it fails.
func (n *Navigation) Back(ctx context.Context) error { return n.historyStep(ctx, -1) }

// Forward undoes Back.
func (n *Navigation) Forward(ctx context.Context) error { return n.historyStep(ctx, +1) }

func (n *Navigation) historyStep(ctx context.Context, by int) error {
	if err := n.driver.checkDriver(ctx); err != nil {
		return err
	}
	if done, err := n.trailStep(ctx, by); done || err != nil {
		return err
	}
	what, end := "going back", "there is no earlier page"
	if by > 0 {
		what, end = "going forward", "there is no later page"
	}
	return n.navigateBy(ctx, what, func(c proto.Client) error {
		entry, err := historyEntry(c, by, end)
		if err != nil {
			return err
		}
		return cdp.CallNoResult(c, proto.PageNavigateToHistoryEntry{EntryID: entry.ID})
	})
}

// navigateBy runs a command that leads to another document and waits for the document.
func (n *Navigation) navigateBy(ctx context.Context, what string, f func(proto.Client) error) error {
	outer := ctx
	ctx, v := n.startNavigation(ctx, "")
	defer n.endNavigation(v)
	return n.navigationCancelError(outer, n.runNavigationBy(ctx, what, f))
}

// runNavigationBy is navigateBy after startNavigation.
func (n *Navigation) runNavigationBy(ctx context.Context, what string, f func(proto.Client) error) error {
	ctx, cancel := n.beginNavigation(ctx)
	defer cancel(nil)
	pg, err := n.state.currentPage()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	moves := 0
	n.state.change(func() { n.state.loadNotice, n.state.loadError, moves = "", "", n.state.load.moves })
	if err := pg.do(ctx, pg.callLimit(), what, f); errors.Is(err, errPromptOpen) {
		return nil
	} else if err != nil {
		return err
	}
	return n.awaitLoad(ctx, pg, func() bool {
		return n.state.load.moves > moves && n.state.load.isLoaded() && !n.state.loading
	})
}

func (n *Navigation) requestHistory() {
	select {
	case n.historyChanged <- struct{}{}:
	default:
	}
}

// followHistory updates CanBack and CanFwd.
func (n *Navigation) followHistory() {
	for {
		select {
		case <-n.state.ctx.Done():
			return
		case <-n.historyChanged:
		}
		pg, err := n.state.currentPage()
		if err != nil {
			continue
		}
		history, err := pg.readHistory(n.state.ctx)
		if err != nil {
			n.state.m.cfg.Log.Debug("browser pane", "pane", n.state.id, "error", err)
			continue
		}
		n.state.change(func() {
			last := len(history.Entries) - 1
			if last >= 0 {
				n.state.trail.follow(history.Entries[last].ID)
			}
			n.state.info.CanBack = history.CurrentIndex > 0 || len(n.state.trail.Before) > 0
			n.state.info.CanFwd = history.CurrentIndex < last || len(n.state.trail.After) > 0
		})
	}
}
