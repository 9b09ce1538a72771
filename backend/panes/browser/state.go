package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// State is shared by the parts of a pane: its page, the page's progress, and the info and overlay
// for lists and viewers. Its mutex also guards the fields of Driver, Activity, Prompts and popup,
// which are changed within change; see docs/decisions/0013-locks-of-a-pane.md.
type State struct {
	m             *Manager
	id            string
	goalID        string // of the goal that owns the pane, "" for the user's
	isTools       bool   // developer tools
	profile       string
	proxyGoal     string // the goal whose proxy its pages use
	scriptless    bool
	notifyViewers func() // called after each change

	ctx    context.Context // ends with the pane
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	mu           sync.Mutex
	changed      chan struct{} // closed with the next change
	page         *page         // nil until attached
	info         pane.Info
	rev          int // incremented with each change of info
	overlay      pane.Overlay
	overlayRev   int    // incremented with each change of overlay
	processError string // why the page or the browser is gone
	loadError    string // why the address shows no page, until the next navigation
	loadNotice   string // for the user, until they act
	load         load
	loading      bool               // Chromium loads; Info().Loading is true from the moment a navigation is requested
	pending      *pendingNavigation // nil without a navigation
	network      networkActivity
	unresponsive bool       // the page let a call time out
	asleep       *SavedPage // what the next viewer loads, nil if nothing
	waking       bool       // it is being loaded
	trail        trail      // see Trail
	playing      playing    // see Pane.plays
	iconAddress  string     // of the icon that the page was asked for last
}

// init sets the fields of a new pane.
func (s *State) init(m *Manager, o Options) {
	s.m, s.id, s.goalID, s.profile, s.scriptless = m, o.ID, o.GoalID, o.Profile, o.scriptless
	s.proxyGoal = o.GoalID
	if o.scriptless {
		s.proxyGoal = o.network
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.changed = make(chan struct{})
	s.info = pane.Info{
		ID:      o.ID,
		Kind:    pane.Browser,
		Title:   text.SanitizeLine(o.Title, 200),
		GoalID:  o.GoalID,
		Profile: o.Profile,
		Driver:  pane.DriverUser,
	}
	if s.info.Title == "" {
		s.info.Title = fallbackTitle(o.URL)
	}
	if s.info.Title == "" {
		s.info.Title = "New page"
	}
	switch {
	case o.inspects != "": // also of a goal's page, they are the user's
		s.info.GoalID, s.info.Inspects, s.isTools = "", o.inspects, true
	case o.GoalID != "":
		s.info.Driver = pane.DriverAgent
	}
	s.overlay = pane.Overlay{
		Cursor:    "default",
		Zoom:      100,
		Questions: []pane.UserPrompt{},
		Downloads: []pane.Download{},
	}
}

// keepsSize reports whether the page has a size of its own: that of a goal has, but not developer tools.
func (s *State) keepsSize() bool { return s.goalID != "" && !s.isTools }

// Info returns the pane as lists show it.
func (s *State) Info() pane.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// change is the only way to change what mu guards: it notifies everyone who waits.
func (s *State) change(f func()) {
	s.mu.Lock()
	before := s.info
	f()
	s.info.Notice, s.info.Problem = s.loadNotice, s.loadError
	s.info.Asleep = s.asleep != nil
	s.info.Loading = s.ctx.Err() == nil && (s.loading || s.pending != nil && !s.pending.hasBegun)
	if s.processError != "" {
		s.info.Problem = s.processError
	}
	if s.info != before {
		s.rev++
		if s.ctx.Err() == nil { // closing is announced separately
			s.announceInfo() // while mu is held, to keep the order
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	s.notifyViewers()
}

// announceInfo publishes the pane's info; a scriptless pane is on no list. The caller holds mu.
func (s *State) announceInfo() {
	if !s.scriptless {
		s.m.news.changed(s.info)
	}
}

// wait returns when ready is true. It calls ready while holding mu, after each change.
func (s *State) wait(ctx context.Context, ready func() bool) error {
	for {
		s.mu.Lock()
		isReady, changed := ready(), s.changed
		s.mu.Unlock()
		if isReady {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return cdp.Cause(ctx)
		}
	}
}

// awaitChange waits for a change that moved announces, at most for limit.
func awaitChange(ctx context.Context, changed <-chan struct{}, limit time.Duration) {
	select {
	case <-changed:
	case <-time.After(limit):
	case <-ctx.Done():
	}
}

func (s *State) setAddress(address string) {
	s.change(func() { s.info.URL = text.SanitizeLine(address, 4096) })
}

// showNotice shows a notice until the user acts or the page changes.
func (s *State) showNotice(format string, args ...any) {
	s.change(func() { s.loadNotice = fmt.Sprintf(format, args...) })
}

// Notice shows the user a notice beside the page, until they act.
func (s *State) Notice(words string) { s.showNotice("%s", text.SanitizeLine(words, 300)) }

// setLoadError sets why no page is shown, until the next navigation.
func (s *State) setLoadError(format string, args ...any) {
	s.change(func() { s.loadError = fmt.Sprintf(format, args...) })
}

func (s *State) overlayNow() pane.Overlay {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overlay
}

// updateOverlay changes what viewers show over the page. The caller holds mu. The overlay's
// slices are shared with viewers: f replaces them.
func (s *State) updateOverlay(f func(*pane.Overlay)) {
	f(&s.overlay)
	s.overlayRev++
}

// leaseHolder returns the goal that has the pane, "" for the user. The caller holds mu.
func (s *State) leaseHolder() string { return s.info.GoalID }

// sharedWith returns the goal that the user shares the pane with, or "". The caller holds mu.
func (s *State) sharedWith() string {
	if !s.info.Shared {
		return ""
	}
	return s.info.GoalID
}

// Lease returns the goal that owns the pane or shares it, "" for the user.
func (s *State) Lease() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaseHolder()
}

// needsNetworkTracking reports whether requests are always recorded, for a goal's agent. The
// caller holds mu.
func (s *State) needsNetworkTracking() bool { return s.leaseHolder() != "" && !s.scriptless }

// checkGoal refuses a call that is made for a goal that does not have the pane.
func (s *State) checkGoal(ctx context.Context) error {
	run, ok := goal.RunOf(ctx)
	if !ok || s.scriptless || string(run.Goal) == s.Lease() {
		return nil
	}
	return fmt.Errorf("pane %s: %w", s.id, ErrNotLeased)
}

// isActivityLogged reports whether events of the page are recorded. The caller holds mu.
func (s *State) isActivityLogged() bool {
	return s.leaseHolder() == "" || s.info.Driver == pane.DriverAgent
}

// isOwnPage reports whether the user has the page alone: no goal, no checks, no developer tools. The caller holds mu.
func (s *State) isOwnPage() bool {
	return s.goalID == "" && s.leaseHolder() == "" && !s.isTools && !s.scriptless
}

// isUserAction reports whether the user caused what the page does now. The caller holds mu.
func (s *State) isUserAction() bool { return s.goalID == "" && s.info.Driver != pane.DriverAgent }

// Driver returns who may act on the page: the user or the agent.
func (s *State) Driver() pane.Driver { return s.Info().Driver }

// currentPage returns the attached page, or the reason why the pane has none: ErrClosed, ErrEnded or ErrCrashed.
func (s *State) currentPage() (*page, error) {
	s.mu.Lock()
	pg := s.page
	s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return nil, ErrClosed
	case pg == nil:
		return nil, ErrEnded
	case pg.alive.Err() != nil:
		return nil, cdp.Cause(pg.alive)
	}
	return pg, nil
}

// hasSession reports whether the pane's page has this session of this connection.
func (s *State) hasSession(c *cdp.Conn, session proto.TargetSessionID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page != nil && s.page.process.Conn == c && s.page.session == session
}

func (s *State) withPage(what string, f func(*page) error) error {
	pg, err := s.currentPage()
	if err == nil {
		err = f(pg)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// markHung records that the page let a call time out, see freeHung.
func (s *State) markHung(err error) {
	if errors.Is(err, ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		s.change(func() { s.unresponsive = true })
	}
}

// runAsync runs a function for the pane outside of the goroutine of events. An error is shown in
// the pane.
func (s *State) runAsync(f func(context.Context) error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.closed {
		return
	}
	s.m.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.m.ctx, launchTimeout+navigateTimeout)
		defer cancel()
		ctx, stop := cdp.JoinContexts(ctx, s.ctx)
		defer stop(nil)
		if err := f(ctx); err != nil && s.ctx.Err() == nil {
			s.showNotice("%s", text.SanitizeLine(err.Error(), 300))
		}
	})
}

// shownDocument returns the document that the pane shows.
func (s *State) shownDocument() proto.NetworkLoaderID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load.loader
}

func (s *State) onTitle(title string) {
	if title = text.SanitizeLine(title, 200); title != "" {
		s.change(func() { s.info.Title = title })
	}
}
