package browser

import (
	"context"
	"fmt"
	"sync"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// state is what the parts of a pane see together: which page it has, how far that is,
// and what lists and viewers show of it. Its mutex also guards the fields of other parts
// that say so.
type state struct {
	pane      *Pane
	prompts   *prompts
	downloads *downloads

	id           string
	goalID       string
	m            *Manager
	ctx          context.Context
	cancel       context.CancelCauseFunc
	work         sync.WaitGroup
	profile      string
	proxyGoal    string // the goal whose proxy its pages use
	scriptless   bool
	mu           sync.Mutex
	page         *page // nil until attached
	info         pane.Info
	sharedWith   string // the goal that the user lent it to, "" if none
	rev          int    // grows with each change of info
	processError string // the page or the browser is gone
	loadError    string // why the address shows no page, until the next one
	loadNotice   string // what the user should know, until they act
	load         load
	loading      bool               // Chromium says so; Info().Loading is true from the moment at which somebody wants it
	navigation   *pendingNavigation // nil if nobody is under way
	network      networkActivity
	unresponsive bool // the page let a call time out
	changed      chan struct{}
	overlay      pane.Overlay
	overlayRev   int // grows with each change of overlay
	cursor       string
	copied       pane.Copied
	zoom         int // percent
}

// Info is the pane as lists show it.
func (s *state) Info() pane.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// change is the one way to alter what mu guards: it tells everyone who waits.
func (s *state) change(f func()) {
	s.mu.Lock()
	before := s.info
	f()
	s.info.Notice, s.info.Problem = s.loadNotice, s.loadError
	s.info.Loading = s.ctx.Err() == nil && (s.loading || s.navigation != nil && !s.navigation.begun)
	if s.processError != "" {
		s.info.Problem = s.processError
	}
	if s.info != before {
		s.rev++
		if s.ctx.Err() == nil { // closing has its own news
			s.announce() // within the lock, to keep the order
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	s.pane.screencast.notifyViewers()
}

// announce tells of the pane, unless it is nobody's; mu is held.
func (s *state) announce() {
	if !s.scriptless {
		s.m.news.changed(s.info)
	}
}

// wait returns when ready holds, which is called under mu after each change.
func (s *state) wait(ctx context.Context, ready func() bool) error {
	for {
		s.mu.Lock()
		ok, moved := ready(), s.changed
		s.mu.Unlock()
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

func (s *state) setAddress(address string) {
	s.change(func() { s.info.URL = sanitize.Line(address, 4096) })
}

// notice shows something until the user acts or the page changes.
func (s *state) notice(format string, args ...any) {
	s.change(func() { s.loadNotice = fmt.Sprintf(format, args...) })
}

// Notice shows the user something beside the page, until they act.
func (s *state) Notice(words string) { s.notice("%s", sanitize.Line(words, 300)) }

// setLoadError says why there is no page to be seen, until the next one.
func (s *state) setLoadError(format string, args ...any) {
	s.change(func() { s.loadError = fmt.Sprintf(format, args...) })
}

func (s *state) overlayNow() pane.Overlay {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overlay
}
