package screencast

import (
	"sync"
	"time"
)

// drawnAfterUse is how long a page is drawn after its last use, so that the effects of an action are filmed, and calls
// which follow each other closely do not stop and start the drawing.
const drawnAfterUse = time.Second

// maxMoments is how many such moments a recorder has for taking the picture.
const maxMoments = 30

// use is who needs a page to be drawn besides viewers, and whether it is drawn. The mutex of the screencast guards it.
type use struct {
	uses     int
	recent   *time.Timer // nil unless the last use ended a moment ago
	moments  int         // since the last use
	lastOfIt uint32      // the newest frame a moment after that, 0 before
	endDraw  func()      // nil unless the page is drawn
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

// stayDrawn keeps the page drawn for a moment, and then until recorders have its picture.
func (s *Screencast) stayDrawn() {
	s.moments, s.lastOfIt = 0, 0
	s.stayDrawnLonger()
}

func (s *Screencast) stayDrawnLonger() {
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
		switch {
		case s.recent != timer:
		case s.moments < maxMoments && s.isPictureDue():
			s.moments++
			s.stayDrawnLonger()
		default:
			s.recent = nil
			s.run()
		}
	})
	s.recent = timer
}

// isPictureDue reports whether recorders still wait for the picture of the page after its last use. On a busy machine
// Chromium takes longer than a moment to draw it, and recorders to hide what is secret in it. Frames that come later
// are not waited for: an animated page always has one.
func (s *Screencast) isPictureDue() bool {
	if !s.running {
		return false
	}
	if s.awaitingFirst {
		return s.refreshTimer != nil // it is asked for again, a few times
	}
	if s.lastOfIt == 0 && s.newest != nil {
		s.lastOfIt = s.newest.N
	}
	for v := range s.views {
		if v.records && v.visible && v.lastDrawn < s.lastOfIt {
			return true
		}
	}
	return false
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
