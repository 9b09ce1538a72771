package screencast

import (
	"sync"
	"time"
)

// drawnAfterUse is how long a page is drawn after its last use, so that the effects of an action are filmed, and calls
// which follow each other closely do not stop and start the drawing.
const drawnAfterUse = time.Second

// use is who needs a page to be drawn besides viewers, and whether it is drawn. The mutex of the screencast guards it.
type use struct {
	uses    int
	recent  *time.Timer // nil unless the last use ended a moment ago
	endDraw func()      // nil unless the page is drawn
}

// Use keeps the page drawn, and filmed for recorders, until the returned function is called and a moment longer.
func (s *Screencast) Use() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	s.run()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.uses--; s.uses == 0 {
			s.stayDrawn()
		}
	})
}

// stayDrawn keeps the page drawn for a moment.
func (s *Screencast) stayDrawn() {
	if s.closed {
		return
	}
	if s.recent != nil {
		s.recent.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(drawnAfterUse, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.recent == timer {
			s.recent = nil
			s.run()
		}
	})
	s.recent = timer
}

// needs reports whether the page has to be drawn, and whether it has to be filmed. A recorder alone films only what
// happens while the page is used: Chromium draws a page that is filmed.
func (s *Screencast) needs() (drawn, filmed bool) {
	isUsed := !s.source.RestsUnseen() || s.uses > 0 || s.recent != nil
	drawn = isUsed
	for v := range s.views {
		if v.visible && (isUsed || !v.records) {
			drawn, filmed = true, true
		}
	}
	return drawn, filmed
}

// draw makes Chromium draw the page, or not.
func (s *Screencast) draw(on bool) {
	switch {
	case on && s.endDraw == nil && s.page != nil:
		s.endDraw = s.page.Draw()
	case !on && s.endDraw != nil:
		s.endDraw()
		s.endDraw = nil
	}
}
