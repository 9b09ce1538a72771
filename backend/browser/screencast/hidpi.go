package screencast

import (
	"bytes"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// Chromium's screencast has one pixel for one of CSS, whatever the screen. To a
// viewer whose screen has more, a screenshot is sent when the page stands still,
// which has them all, and a frame of the screencast again as soon as it moves.
const (
	hidpiDelay    = 300 * time.Millisecond // without a change
	hidpiMaxDelay = 2 * time.Second        // for a page that keeps changing, as with a caret that blinks
)

// hidpiState is the part of a screencast that belongs to that; its mutex guards it.
type hidpiState struct {
	sharp    *pane.Frame // what viewers get instead of the newest frame, nil if there is none
	since    time.Time   // of sharp
	patience time.Duration
	still    *time.Timer // nil unless armed
	shooting bool
}

// dropHiDPI forgets the sharp picture.
func (c *Screencast) dropHiDPI() {
	c.sharp = nil
	if c.still != nil {
		c.still.Stop()
		c.still = nil
	}
}

// wantsHiDPI says whether somebody wants sharp pictures.
func (c *Screencast) wantsHiDPI() bool {
	for v := range c.views {
		if v.visible && v.size.ratio > 1 {
			return c.source.HasHiDPI()
		}
	}
	return false
}

// ignoreSamePicture takes a frame that shows nothing new, where sharp pictures are wanted:
// taking one makes Chromium draw, and so would put it off for ever.
func (c *Screencast) ignoreSamePicture(f cdp.ScreencastFrame) bool {
	if c.newest == nil || !c.wantsHiDPI() || c.newest.Width != f.Width || c.newest.Height != f.Height ||
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

// scheduleHiDPI plans the sharp picture of what has just come.
func (c *Screencast) scheduleHiDPI() {
	switch lived := time.Since(c.since); {
	case c.sharp != nil && lived < hidpiMaxDelay: // in vain: it takes longer next time
		c.patience = min(2*c.patience, hidpiMaxDelay)
	case c.sharp != nil:
		c.patience = hidpiDelay
	}
	c.dropHiDPI()
	if !c.wantsHiDPI() {
		return
	}
	n := c.frameNumber
	var timer *time.Timer
	timer = time.AfterFunc(max(c.patience, hidpiDelay), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.still != timer || c.closed || c.page == nil || c.shooting {
			return
		}
		c.still, c.shooting = nil, true
		pg := c.page
		c.work.Go(func() { c.captureHiDPI(pg, n) })
	})
	c.still = timer
}

// captureHiDPI takes the sharp picture of frame n, unless another has come by then.
func (c *Screencast) captureHiDPI(pg Page, n uint32) {
	picture, err := c.source.CaptureHiDPI(pg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shooting = false
	if c.newest == nil || c.page != pg {
		return
	}
	if c.frameNumber != n { // it is another page by now
		c.scheduleHiDPI()
		return
	}
	if err != nil {
		return
	}
	c.frameNumber++
	c.sharp = &pane.Frame{N: c.frameNumber, Width: c.newest.Width, Height: c.newest.Height, JPEG: picture}
	c.since = time.Now()
	for v := range c.views {
		v.wakeReader()
	}
}
