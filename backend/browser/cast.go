package browser

import (
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// staleAfter is how old the newest frame may get while every viewer is busy
// with an older one, before a newer is asked for.
const staleAfter = 200 * time.Millisecond

// quietAfter is how long a page must not change before its final state is
// looked at once more, since Chromium may have dropped the last frame.
const quietAfter = 150 * time.Millisecond

// A screencast that gives no picture at all was lost on the way, in a change of
// processes for instance; it is started again.
const (
	silentAfter = time.Second
	silentTries = 5
)

// cast is the screencast of one pane: it runs while somebody looks, and keeps
// the newest frame for everyone. Chromium sends at most two frames ahead of its
// acknowledgements; a frame is acknowledged when the quickest viewer has drawn
// it. So the source slows down to the viewer, and nothing queues.
//
// Chromium drops what changes while two frames are under way. sendLastFrame
// makes it send the last one later, but not always: so when the page is quiet
// again, the screencast is started afresh, which sends the page as it is.
type cast struct {
	pane *Pane

	mu     sync.Mutex
	page   *page // nil: none to film
	on     bool
	views  map[*View]struct{}
	sizes  int // counts what viewers told
	n      uint32
	latest *pane.Frame
	open   []openFrame // not acknowledged, oldest first
	stale  *time.Timer // nil unless armed
	first  bool        // the next frame is the page as it is, asked for by begin
	check  *time.Timer // nil unless armed: a look at the final state of the page
	due    bool        // that look waits for the viewers
	silent int         // how often the screencast was started without a picture
	closed bool
	sharpness
}

type openFrame struct {
	n    uint32
	cast int
}

func newCast(p *Pane) *cast { return &cast{pane: p, views: map[*View]struct{}{}} }

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

// use films another page, or none.
func (c *cast) use(pg *page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.page != pg {
		c.page, c.on = pg, false
		c.forget()
	}
	c.run()
}

// run starts or stops the screencast as the viewers want it.
func (c *cast) run() {
	wanted := false
	for v := range c.views {
		wanted = wanted || v.visible
	}
	switch {
	case c.page == nil:
		c.on = false
	case wanted && !c.on:
		c.on = true
		c.forget()
		c.begin()
	case !wanted && c.on:
		c.on = false
		c.forget()
		c.page.post(proto.PageStopScreencast{})
	}
}

// forget drops what belongs to a screencast that ended: its frames need no
// acknowledgement, and a picture of then is not the page of now.
func (c *cast) forget() {
	c.latest, c.open = nil, nil
	c.blur()
	c.disarm()
	if c.check != nil {
		c.check.Stop()
		c.check = nil
	}
	c.due = false
}

func (c *cast) begin() {
	c.first = true
	if c.silent++; c.silent <= silentTries {
		c.lookAfter(silentAfter)
	}
	c.page.post(startScreencast{Format: "jpeg", Quality: 70, EveryNthFrame: 1, MaxFramesInFlight: 2, SendLastFrame: true})
}

// lookAgain is armed by a change, and moved on by each further one.
func (c *cast) lookAgain() { c.lookAfter(quietAfter) }

func (c *cast) lookAfter(quiet time.Duration) {
	if c.check != nil {
		c.check.Reset(quiet)
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(quiet, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.check != timer || !c.on || c.page == nil {
			return
		}
		c.check = nil
		if c.due = c.busy(); c.due { // settle takes it up again
			return
		}
		c.open = nil
		c.page.post(proto.PageStopScreencast{})
		c.begin()
	})
	c.check = timer
}

// take is called with each frame, on the connection's reading goroutine.
func (c *cast) take(f castFrame) {
	f.width, f.height = c.pane.inCSS(f.width, f.height)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on || c.page == nil || string(c.page.session) != f.session {
		return
	}
	if c.unchanged(f) {
		return
	}
	c.n++
	c.latest = &pane.Frame{N: c.n, Width: f.width, Height: f.height, JPEG: f.jpeg}
	c.open = append(c.open, openFrame{c.n, f.cast})
	c.silent = 0
	if !c.first {
		c.lookAgain()
	} else if c.check != nil { // it waited for this one
		c.check.Stop()
		c.check = nil
	}
	c.first = false
	c.soon()
	c.settle()
	for v := range c.views {
		v.poke()
	}
}

// busy says whether a viewer is drawing.
func (c *cast) busy() bool {
	for v := range c.views {
		if v.visible && v.holding != 0 {
			return true
		}
	}
	return false
}

// settle acknowledges what nobody needs any more. While the newest frame has
// gone to nobody, those that it replaced are kept open as well: that is what
// holds Chromium back.
func (c *cast) settle() {
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
	fresh := c.latest != nil && given >= c.latest.N
	c.acknowledge(func(f openFrame) bool {
		return f.n <= drawn || !held[f.n] && (fresh || !waiting)
	})
	if c.due && !c.busy() {
		c.due = false
		c.lookAgain()
	}
	if len(c.open) > 0 && !fresh {
		c.arm()
	} else {
		c.disarm()
	}
}

func (c *cast) acknowledge(which func(openFrame) bool) {
	kept := c.open[:0]
	for _, f := range c.open {
		if !which(f) {
			kept = append(kept, f)
		} else if c.page != nil {
			c.page.post(proto.PageScreencastFrameAck{SessionID: f.cast})
		}
	}
	c.open = kept
}

// arm asks for a newer frame in a while, though no viewer has taken this one:
// what a busy viewer draws next shall not be old. disarm takes that back.
func (c *cast) arm() {
	if c.stale != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(staleAfter, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.stale == timer {
			c.stale = nil
			held := map[uint32]bool{}
			for v := range c.views {
				held[v.holding] = true
			}
			c.acknowledge(func(f openFrame) bool { return !held[f.n] })
		}
	})
	c.stale = timer
}

func (c *cast) disarm() {
	if c.stale != nil {
		c.stale.Stop()
		c.stale = nil
	}
}

// changed makes sure that the page is seen as it is now, after a new size or
// with a new document.
func (c *cast) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on {
		c.silent = 0
		c.lookAgain()
	}
}

func (c *cast) wakeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range c.views {
		v.poke()
	}
}

// close ends all views.
func (c *cast) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.forget()
	c.page, c.on = nil, false
	for v := range c.views {
		v.poke()
	}
}
