package screencast

import (
	"context"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Viewer is one viewer of a pane. One goroutine may call Next; the other methods may be called
// concurrently.
type Viewer struct {
	screencast *Screencast
	wake       chan struct{}

	// Guarded by the screencast's mutex.
	visible    bool
	size       canvasSize
	holding    uint32 // the frame that is being drawn, 0 if none
	lastGiven  uint32 // the newest frame returned by Next
	lastDrawn  uint32 // the newest frame acknowledged
	rev        int    // of the info returned last
	overlayRev int    // of the overlay returned last
	closed     bool
}

// Attach opens a view. Next first returns the pane's info and, as soon as there is one, the
// newest frame.
func (s *Screencast) Attach() *Viewer {
	v := &Viewer{screencast: s, wake: make(chan struct{}, 1), visible: true, rev: -1, overlayRev: -1}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[v] = struct{}{}
	s.run()
	return v
}

func (v *Viewer) wakeReader() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Next waits for a changed info or overlay, or for a frame that is newer than the last one. The
// caller must acknowledge a frame when it is drawn; until then it gets no other frame. The error
// is cdp.ErrClosed when the view or the pane was closed.
func (v *Viewer) Next(ctx context.Context) (pane.ViewerUpdate, error) {
	for {
		if news, err := v.collect(); news != (pane.ViewerUpdate{}) || err != nil {
			return news, err
		}
		select {
		case <-v.wake:
		case <-ctx.Done():
			return pane.ViewerUpdate{}, cdp.Cause(ctx)
		}
	}
}

func (v *Viewer) collect() (pane.ViewerUpdate, error) {
	c := v.screencast
	info, rev, overlay, overlayRev := c.source.Shown()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case v.closed:
		return pane.ViewerUpdate{}, cdp.ErrClosed
	case v.rev != rev:
		v.rev = rev
		return pane.ViewerUpdate{Info: &info}, nil
	case c.closed:
		return pane.ViewerUpdate{}, cdp.ErrClosed
	case v.overlayRev != overlayRev:
		v.overlayRev = overlayRev
		return pane.ViewerUpdate{Overlay: &overlay}, nil
	}
	f := c.newest
	if c.screenshot != nil && v.size.ratio > 1 {
		f = c.screenshot
	}
	if !v.visible || v.holding != 0 || f == nil || v.lastGiven >= f.N {
		return pane.ViewerUpdate{}, nil
	}
	v.holding, v.lastGiven = f.N, f.N
	c.ackUnneeded()
	return pane.ViewerUpdate{Frame: f}, nil
}

// Ack acknowledges that frame n is drawn. Unknown numbers are ignored.
func (v *Viewer) Ack(n uint32) {
	c := v.screencast
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.holding == 0 || n != v.holding {
		return
	}
	v.holding, v.lastDrawn = 0, n
	c.ackUnneeded()
	v.wakeReader()
}

// Input passes on an input of the user. It does not wait for the page; inputs are processed in
// order. It fails if the input cannot be delivered.
func (v *Viewer) Input(ctx context.Context, in pane.Input) error {
	if err := ctx.Err(); err != nil {
		return cdp.Cause(ctx)
	}
	return v.screencast.source.Input(in)
}

// Resize gives the page the size of the viewer's canvas, in CSS pixels, and the pixel ratio of
// its screen. A viewer with a ratio above 1 gets a picture with that resolution whenever the page
// has stopped changing. Of several visible viewers, the last size applies, also after its viewer
// has left.
func (v *Viewer) Resize(ctx context.Context, width, height int, ratio float64) error {
	c := v.screencast
	c.mu.Lock()
	c.sizeRev++
	v.size = canvasSize{c.sizeRev, width, height, ratio}
	c.mu.Unlock()
	return c.source.Resize(ctx, width, height, ratio)
}

// SetVisible sets whether the view is visible. Without a visible view nothing is filmed.
func (v *Viewer) SetVisible(on bool) {
	c := v.screencast
	c.mu.Lock()
	if v.visible == on || v.closed {
		c.mu.Unlock()
		return
	}
	v.visible, v.holding, v.lastGiven = on, 0, 0
	if on && v.size.n > 0 {
		c.sizeRev++
		v.size.n = c.sizeRev
	}
	c.run()
	c.ackUnneeded()
	v.wakeReader()
	c.mu.Unlock()
	c.applyNewestSize()
}

// Close ends the view; a waiting Next returns ErrClosed.
func (v *Viewer) Close() {
	c := v.screencast
	c.mu.Lock()
	v.closed = true
	delete(c.views, v)
	c.run()
	c.ackUnneeded()
	v.wakeReader()
	c.mu.Unlock()
	c.applyNewestSize()
}

// canvasSize is the size of a viewer's canvas in CSS pixels.
type canvasSize struct {
	n             int // counts the sizes, 0 for none
	width, height int
	ratio         float64 // pixels of its screen for one CSS pixel
}

// applyNewestSize gives the page the newest size of the visible viewers.
func (s *Screencast) applyNewestSize() {
	s.mu.Lock()
	var last canvasSize
	for v := range s.views {
		if v.visible && v.size.n > last.n {
			last = v.size
		}
	}
	s.mu.Unlock()
	if last.n == 0 {
		return
	}
	s.source.SetSize(last.width, last.height, last.ratio)
}
