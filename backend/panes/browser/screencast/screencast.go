// Package screencast films the page of a pane for its viewers: frames as they come, no more than
// viewers can draw, and a picture with a higher resolution when the page has stopped changing.
package screencast

import (
	"context"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// maxFrameAge is how old the newest frame may get while every viewer is busy with an older one,
// before a newer one is requested.
const maxFrameAge = 200 * time.Millisecond

// refreshAfterQuiet is how long a page must not change before its final state is requested once
// more, because Chromium may have dropped the last frame.
const refreshAfterQuiet = 150 * time.Millisecond

// A screencast that sends no frame was lost, for example when the page changed its process; it is started again.
const (
	restartAfterSilence = time.Second
	maxRestarts         = 5
)

// Screencast films one pane: it runs while a viewer is visible, and stores
// the newest frame for all of them. Chromium sends at most two frames ahead of its
// acknowledgements; a frame is acknowledged when the fastest viewer has drawn
// it. So the source slows down to the viewer, and nothing queues.
//
// Chromium drops changes while two frames are not acknowledged. sendLastFrame
// makes it send the last one later, but not always: so when the page is quiet
// again, the screencast is restarted, which sends the current page.
type Screencast struct {
	source Source
	work   sync.WaitGroup // screenshots that are being taken

	mu            sync.Mutex
	page          Page // nil: none to film
	running       bool
	views         map[*Viewer]struct{}
	sizeRev       int // counts the sizes of viewers
	frameNumber   uint32
	newest        *pane.Frame
	unacked       []unackedFrame // not acknowledged, oldest first
	staleTimer    *time.Timer    // nil unless armed
	awaitingFirst bool           // the next frame is the current page, which start asked for
	refreshTimer  *time.Timer    // nil unless armed: requests the final state of the page
	refreshDue    bool           // that request waits for the viewers
	silentStarts  int            // starts of the screencast without a frame
	closed        bool
	hidpiState
}

type unackedFrame struct {
	n            uint32
	screencastID int
}

// Source is the pane that is filmed. No lock of the screencast is held during its methods, except
// HasHiDPI.
type Source interface {
	// Shown returns the info and the overlay of the picture, each with a number that grows with its changes.
	Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int)
	// CSSSize is the size of a frame in CSS pixels, whatever pixels Chromium counted.
	CSSSize(width, height int) (int, int)
	// HasHiDPI reports whether a viewer may get pictures with more pixels than CSS pixels.
	HasHiDPI() bool
	// CaptureHiDPI takes such a picture. It returns when the pane is closed.
	CaptureHiDPI(Page) ([]byte, error)
	// Input processes the input of a viewer.
	Input(pane.Input) error
	// Resize gives the page the size of a viewer's canvas.
	Resize(ctx context.Context, width, height int, ratio float64) error
	// SetSize is Resize for the remaining viewer.
	SetSize(width, height int, ratio float64)
}

// Page is a page of the pane.
type Page interface {
	SessionID() proto.TargetSessionID
	Post(proto.Request)
}

// New creates a screencast of a source; it has no page yet.
func New(s Source) *Screencast {
	return &Screencast{source: s, views: map[*Viewer]struct{}{}}
}

// startScreencast has fields that rod's type of 2024 lacks.
type startScreencast struct {
	Format            string `json:"format"`
	Quality           int    `json:"quality"`
	EveryNthFrame     int    `json:"everyNthFrame"`
	MaxFramesInFlight int    `json:"maxFramesInFlight"`
	SendLastFrame     bool   `json:"sendLastFrame"`
}

// ProtoReq implements proto.Request.
func (startScreencast) ProtoReq() string { return "Page.startScreencast" }

// SetPage films another page, or none.
func (c *Screencast) SetPage(pg Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.page != pg {
		c.page, c.running = pg, false
		c.reset()
	}
	c.run()
}

// run starts or stops the screencast depending on its viewers.
func (c *Screencast) run() {
	wanted := false
	for v := range c.views {
		wanted = wanted || v.visible
	}
	switch {
	case c.page == nil:
		c.running = false
	case wanted && !c.running:
		c.running = true
		c.reset()
		c.start()
	case !wanted && c.running:
		c.running = false
		c.reset()
		c.page.Post(proto.PageStopScreencast{})
	}
}

// reset discards the state of a screencast that ended: its frames need no acknowledgement, and
// its screenshot is outdated.
func (c *Screencast) reset() {
	c.newest, c.unacked = nil, nil
	c.dropHiDPI()
	c.disarmStaleTimer()
	if c.refreshTimer != nil {
		c.refreshTimer.Stop()
		c.refreshTimer = nil
	}
	c.refreshDue = false
}

func (c *Screencast) start() {
	c.awaitingFirst = true
	if c.silentStarts++; c.silentStarts <= maxRestarts {
		c.armRefresh(restartAfterSilence)
	}
	c.page.Post(startScreencast{Format: "jpeg", Quality: 70, EveryNthFrame: 1, MaxFramesInFlight: 2, SendLastFrame: true})
}

// armFinalRefresh starts the timer that requests the final state of the page; each further change restarts it.
func (c *Screencast) armFinalRefresh() { c.armRefresh(refreshAfterQuiet) }

func (c *Screencast) armRefresh(quiet time.Duration) {
	if c.refreshTimer != nil {
		c.refreshTimer.Reset(quiet)
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(quiet, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.refreshTimer != timer || !c.running || c.page == nil {
			return
		}
		c.refreshTimer = nil
		if c.refreshDue = c.isBusy(); c.refreshDue { // ackUnneeded continues with it
			return
		}
		c.unacked = nil
		c.page.Post(proto.PageStopScreencast{})
		c.start()
	})
	c.refreshTimer = timer
}

// OnFrame handles each frame, on the connection's reading goroutine.
func (c *Screencast) OnFrame(f cdp.ScreencastFrame) {
	f.Width, f.Height = c.source.CSSSize(f.Width, f.Height)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running || c.page == nil || string(c.page.SessionID()) != f.Session {
		return
	}
	if c.ignoreSamePicture(f) {
		return
	}
	c.frameNumber++
	c.newest = &pane.Frame{N: c.frameNumber, Width: f.Width, Height: f.Height, JPEG: f.JPEG}
	c.unacked = append(c.unacked, unackedFrame{c.frameNumber, f.ScreencastID})
	c.silentStarts = 0
	if !c.awaitingFirst {
		c.armFinalRefresh()
	} else if c.refreshTimer != nil { // it waited for this frame
		c.refreshTimer.Stop()
		c.refreshTimer = nil
	}
	c.awaitingFirst = false
	c.scheduleHiDPI()
	c.ackUnneeded()
	for v := range c.views {
		v.wakeReader()
	}
}

// isBusy reports whether a viewer is drawing.
func (c *Screencast) isBusy() bool {
	for v := range c.views {
		if v.visible && v.holding != 0 {
			return true
		}
	}
	return false
}

// ackUnneeded acknowledges frames that no viewer needs any more. While no viewer has got the newest frame, it does not
// acknowledge the earlier ones either, which slows Chromium down.
func (c *Screencast) ackUnneeded() {
	var drawn, given uint32
	held := map[uint32]bool{}
	waiting := false
	for v := range c.views {
		if !v.visible {
			continue
		}
		drawn, given = max(drawn, v.drawn), max(given, v.given)
		held[v.holding] = true
		waiting = true
	}
	fresh := c.newest != nil && given >= c.newest.N
	c.acknowledge(func(f unackedFrame) bool {
		return f.n <= drawn || !held[f.n] && (fresh || !waiting)
	})
	if c.refreshDue && !c.isBusy() {
		c.refreshDue = false
		c.armFinalRefresh()
	}
	if len(c.unacked) > 0 && !fresh {
		c.armStaleTimer()
	} else {
		c.disarmStaleTimer()
	}
}

func (c *Screencast) acknowledge(which func(unackedFrame) bool) {
	kept := c.unacked[:0]
	for _, f := range c.unacked {
		if !which(f) {
			kept = append(kept, f)
		} else if c.page != nil {
			c.page.Post(proto.PageScreencastFrameAck{SessionID: f.screencastID})
		}
	}
	c.unacked = kept
}

// armStaleTimer requests a newer frame after a while if no viewer has taken this one, so that
// what a busy viewer draws next is not outdated. disarmStaleTimer stops it.
func (c *Screencast) armStaleTimer() {
	if c.staleTimer != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(maxFrameAge, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.staleTimer == timer {
			c.staleTimer = nil
			held := map[uint32]bool{}
			for v := range c.views {
				held[v.holding] = true
			}
			c.acknowledge(func(f unackedFrame) bool { return !held[f.n] })
		}
	})
	c.staleTimer = timer
}

func (c *Screencast) disarmStaleTimer() {
	if c.staleTimer != nil {
		c.staleTimer.Stop()
		c.staleTimer = nil
	}
}

// Refresh makes sure that viewers see the current page, after a new size or with a new document.
func (c *Screencast) Refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.silentStarts = 0
		c.armFinalRefresh()
	}
}

// NotifyViewers notifies the viewers that what the source shows has changed.
func (c *Screencast) NotifyViewers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range c.views {
		v.wakeReader()
	}
}

// Close ends all views and waits for screenshots that are being taken.
func (c *Screencast) Close() {
	c.mu.Lock()
	c.closed = true
	c.reset()
	c.page, c.running = nil, false
	for v := range c.views {
		v.wakeReader()
	}
	c.mu.Unlock()
	c.work.Wait()
}

// Captured returns the number of pictures so far.
func (c *Screencast) Captured() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.frameNumber)
}
