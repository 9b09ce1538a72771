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
func (c *Screencast) dropHiDPI() {
	c.screenshot = nil
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// needsHiDPI reports whether a viewer has such a screen.
func (c *Screencast) needsHiDPI() bool {
	for v := range c.views {
		if v.visible && v.size.ratio > 1 {
			return c.source.HasHiDPI()
		}
	}
	return false
}

// ignoreSamePicture acknowledges a frame that shows nothing new if a viewer wants screenshots, and reports whether it
// did: taking a screenshot makes Chromium draw, which would delay the next screenshot for ever.
func (c *Screencast) ignoreSamePicture(f cdp.ScreencastFrame) bool {
	if c.newest == nil || !c.needsHiDPI() || c.newest.Width != f.Width || c.newest.Height != f.Height ||
		!bytes.Equal(c.newest.JPEG, f.JPEG) {
		return false
	}
	c.page.Post(proto.PageScreencastFrameAck{SessionID: f.ScreencastID})
	c.silentStarts = 0
	if !c.awaitingFirst {
		c.armFinalRefresh()
	} else if c.refreshTimer != nil {
		c.refreshTimer.Stop()
		c.refreshTimer = nil
	}
	c.awaitingFirst = false
	return true
}

// scheduleHiDPI schedules a screenshot of the newest frame.
func (c *Screencast) scheduleHiDPI() {
	switch lived := time.Since(c.takenAt); {
	case c.screenshot != nil && lived < hidpiMaxDelay: // it was soon outdated: wait longer this time
		c.delay = min(2*c.delay, hidpiMaxDelay)
	case c.screenshot != nil:
		c.delay = hidpiDelay
	}
	c.dropHiDPI()
	if !c.needsHiDPI() {
		return
	}
	n := c.frameNumber
	var timer *time.Timer
	timer = time.AfterFunc(max(c.delay, hidpiDelay), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.timer != timer || c.closed || c.page == nil || c.isCapturing {
			return
		}
		c.timer, c.isCapturing = nil, true
		pg := c.page
		c.work.Go(func() { c.captureHiDPI(pg, n) })
	})
	c.timer = timer
}

// captureHiDPI takes the screenshot of frame n, unless there is a newer frame.
func (c *Screencast) captureHiDPI(pg Page, n uint32) {
	picture, err := c.source.CaptureHiDPI(pg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isCapturing = false
	if c.newest == nil || c.page != pg {
		return
	}
	if c.frameNumber != n { // the page has changed
		c.scheduleHiDPI()
		return
	}
	if err != nil {
		return
	}
	c.frameNumber++
	c.screenshot = &pane.Frame{N: c.frameNumber, Width: c.newest.Width, Height: c.newest.Height, JPEG: picture}
	c.takenAt = time.Now()
	for v := range c.views {
		v.wakeReader()
	}
}
