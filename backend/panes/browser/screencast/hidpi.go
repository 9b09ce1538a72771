package screencast

import (
	"bytes"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Chromium's screencast has one pixel for each CSS pixel, whatever the screen. A viewer whose screen has more gets a
// screenshot with all pixels when the page has stopped changing, and frames of the screencast again as soon as the
// page changes.
const (
	hidpiDelay    = 300 * time.Millisecond // without a change
	hidpiMaxDelay = 2 * time.Second        // for a page that keeps changing, as with a caret that blinks
)

// hidpiState is the part of a screencast for such screenshots; the screencast's mutex guards it.
type hidpiState struct {
	screenshot  *pane.Frame // the screenshot, which viewers get instead of the newest frame; nil without one
	takenAt     time.Time   // of screenshot
	delay       time.Duration
	timer       *time.Timer // nil unless armed
	isCapturing bool
}

// dropHiDPI discards the screenshot.
func (s *Screencast) dropHiDPI() {
	s.screenshot = nil
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// needsHiDPI reports whether a viewer has such a screen.
func (s *Screencast) needsHiDPI() bool {
	for v := range s.views {
		if v.visible && v.size.Space.Ratio > 1 {
			return s.source.HasHiDPI()
		}
	}
	return false
}

// ignoreSamePicture acknowledges a frame that shows nothing new if a viewer wants screenshots, and reports whether it
// did: taking a screenshot makes Chromium draw, which would delay the next screenshot for ever.
func (s *Screencast) ignoreSamePicture(f cdp.ScreencastFrame) bool {
	if s.newest == nil || !s.needsHiDPI() || s.newest.Width != f.Width || s.newest.Height != f.Height ||
		!bytes.Equal(s.newest.JPEG, f.JPEG) {
		return false
	}
	s.page.Post(proto.PageScreencastFrameAck{SessionID: f.ScreencastID})
	s.silentStarts = 0
	if !s.awaitingFirst {
		s.armFinalRefresh()
	} else if s.refreshTimer != nil {
		s.refreshTimer.Stop()
		s.refreshTimer = nil
	}
	s.awaitingFirst = false
	return true
}

// scheduleHiDPI schedules a screenshot of the newest frame.
func (s *Screencast) scheduleHiDPI() {
	switch age := time.Since(s.takenAt); {
	case s.screenshot != nil && age < hidpiMaxDelay: // it was soon outdated: wait longer this time
		s.delay = min(2*s.delay, hidpiMaxDelay)
	case s.screenshot != nil:
		s.delay = hidpiDelay
	}
	s.dropHiDPI()
	if !s.needsHiDPI() {
		return
	}
	n := s.frameNumber
	var timer *time.Timer
	timer = time.AfterFunc(max(s.delay, hidpiDelay), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timer != timer || s.closed || s.page == nil || s.isCapturing {
			return
		}
		s.timer, s.isCapturing = nil, true
		pg := s.page
		s.work.Go(func() { s.captureHiDPI(pg, n) })
	})
	s.timer = timer
}

// captureHiDPI takes the screenshot of frame n, unless there is a newer frame.
func (s *Screencast) captureHiDPI(pg Page, n uint32) {
	picture, err := s.source.CaptureHiDPI(pg)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isCapturing = false
	if s.newest == nil || s.page != pg {
		return
	}
	if s.frameNumber != n { // the page has changed
		s.scheduleHiDPI()
		return
	}
	if err != nil {
		return
	}
	s.frameNumber++
	s.screenshot = &pane.Frame{N: s.frameNumber, Width: s.newest.Width, Height: s.newest.Height, JPEG: picture}
	s.takenAt = time.Now()
	for v := range s.views {
		v.wakeReader()
	}
}
