// Package screencast films the page of a pane for those who look at it: frames as they
// come, no more than viewers can draw, and a sharper picture when the page stands still.
package screencast

import (
	"context"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// maxFrameAge is how old the newest frame may get while every viewer is busy
// with an older one, before a newer is asked for.
const maxFrameAge = 200 * time.Millisecond

// refreshAfterQuiet is how long a page must not change before its final state is
// looked at once more, since Chromium may have dropped the last frame.
const refreshAfterQuiet = 150 * time.Millisecond

// A screencast that gives no picture at all was lost on the way, in a change of
// processes for instance; it is started again.
const (
	restartAfterSilence = time.Second
	maxRestarts         = 5
)

// Screencast films one pane: it runs while somebody looks, and keeps
// the newest frame for everyone. Chromium sends at most two frames ahead of its
// acknowledgements; a frame is acknowledged when the quickest viewer has drawn
// it. So the source slows down to the viewer, and nothing queues.
//
// Chromium drops what changes while two frames are under way. sendLastFrame
// makes it send the last one later, but not always: so when the page is quiet
// again, the screencast is started afresh, which sends the page as it is.
type Screencast struct {
	source Source
	work   sync.WaitGroup // pictures that are being taken

	mu            sync.Mutex
	page          Page // nil: none to film
	running       bool
	views         map[*Viewer]struct{}
	sizeRev       int // counts what viewers told
	frameNumber   uint32
	newest        *pane.Frame
	unacked       []unackedFrame // not acknowledged, oldest first
	staleTimer    *time.Timer    // nil unless armed
	awaitingFirst bool           // the next frame is the page as it is, asked for by begin
	refreshTimer  *time.Timer    // nil unless armed: a look at the final state of the page
	refreshDue    bool           // that look waits for the viewers
	silentStarts  int            // how often the screencast was started without a picture
	closed        bool
	hidpiState
}

type unackedFrame struct {
	n    uint32
	cast int
}

// Source is what is filmed: a pane. Its methods are called with no lock of the screencast,
// but for HasHiDPI.
type Source interface {
	// Shown gives what is shown beside the picture, each with a number that grows with
	// its changes.
	Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int)
	// CSSSize is the size of a frame in CSS pixels, whatever pixels Chromium counted.
	CSSSize(width, height int) (int, int)
	// HasHiDPI says whether a viewer may have pictures with more pixels than CSS has.
	HasHiDPI() bool
	// CaptureHiDPI takes one. It returns when the pane is closed.
	CaptureHiDPI(Page) ([]byte, error)
	// Input carries out what a viewer does.
	Input(pane.Input) error
	// Resize gives the page the size of a viewer's canvas.
	Resize(ctx context.Context, width, height int, ratio float64) error
	// SetSize is Resize for the viewer who is left.
	SetSize(width, height int, ratio float64)
}

// Page is a page of the pane.
type Page interface {
	SessionID() proto.TargetSessionID
	Post(proto.Request)
}

// New makes a screencast of a source; it has no page yet.
func New(s Source) *Screencast {
	return &Screencast{source: s, views: map[*Viewer]struct{}{}}
}

// startScreencast has what rod's type of 2024 does not know.
type startScreencast struct {
	Format            string `json:"format"`
	Quality           int    `json:"quality"`
	EveryNthFrame     int    `json:"everyNthFrame"`
	MaxFramesInFlight int    `json:"maxFramesInFlight"`
	SendLastFrame     bool   `json:"sendLastFrame"`
}

// ProtoReq is asked for by proto.
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

// run starts or stops the screencast as the viewers want it.
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

// reset drops what belongs to a screencast that ended: its frames need no
// acknowledgement, and a picture of then is not the page of now.
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

// armFinalRefresh is armed by a change, and moved on by each further one.
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
		if c.refreshDue = c.busy(); c.refreshDue { // settle takes it up again
			return
		}
		c.unacked = nil
		c.page.Post(proto.PageStopScreencast{})
		c.start()
	})
	c.refreshTimer = timer
}

// OnFrame is called with each frame, on the connection's reading goroutine.
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
	} else if c.refreshTimer != nil { // it waited for this one
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

// busy says whether a viewer is drawing.
func (c *Screencast) busy() bool {
	for v := range c.views {
		if v.visible && v.holding != 0 {
			return true
		}
	}
	return false
}

// ackUnneeded acknowledges what nobody needs any more. While the newest frame has
// gone to nobody, those that it replaced are kept open as well: that is what
// holds Chromium back.
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
	if c.refreshDue && !c.busy() {
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
			c.page.Post(proto.PageScreencastFrameAck{SessionID: f.cast})
		}
	}
	c.unacked = kept
}

// armStaleTimer asks for a newer frame in a while, though no viewer has taken this one:
// what a busy viewer draws next shall not be old. disarmStaleTimer takes that back.
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

// Refresh makes sure that the page is seen as it is now, after a new size or
// with a new document.
func (c *Screencast) Refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.silentStarts = 0
		c.armFinalRefresh()
	}
}

// NotifyViewers tells the viewers that what the source shows has changed.
func (c *Screencast) NotifyViewers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range c.views {
		v.wakeReader()
	}
}

// Close ends all views and waits for pictures that are being taken.
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

// Captured counts the pictures so far.
func (c *Screencast) Captured() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.frameNumber)
}
