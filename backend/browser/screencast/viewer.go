package screencast

import (
	"context"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// Viewer is one viewer of a pane. Next is called by one goroutine, the other
// methods by any.
type Viewer struct {
	cast *Screencast
	wake chan struct{}

	// Guarded by the screencast's mutex.
	visible bool
	size    canvasSize
	holding uint32 // the frame that was given and not yet drawn, 0 if none
	given   uint32 // the newest frame given
	drawn   uint32 // the newest frame acknowledged
	rev     int    // of the info that was given
	over    int    // of the overlay that was given
	closed  bool
}

// Attach opens a view. The first things that Next gives are the pane's info
// and, as soon as there is one, the newest frame.
func (c *Screencast) Attach() *Viewer {
	v := &Viewer{cast: c, wake: make(chan struct{}, 1), visible: true, rev: -1, over: -1}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views[v] = struct{}{}
	c.run()
	return v
}

func (v *Viewer) wakeReader() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Next waits for news: a changed info or overlay, or a frame that is newer than
// the last one. The frame must be acknowledged when it is drawn; until then only infos
// come. The error is cdp.ErrClosed when the view or the pane was closed.
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
	c := v.cast
	info, rev, overlay, over := c.source.Shown()
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
	case v.over != over:
		v.over = over
		return pane.ViewerUpdate{Overlay: &overlay}, nil
	}
	f := c.newest
	if c.sharp != nil && v.size.ratio > 1 {
		f = c.sharp
	}
	if !v.visible || v.holding != 0 || f == nil || v.given >= f.N {
		return pane.ViewerUpdate{}, nil
	}
	v.holding, v.given = f.N, f.N
	c.ackUnneeded()
	return pane.ViewerUpdate{Frame: f}, nil
}

// Ack says that frame n is drawn. Numbers that were not given are ignored.
func (v *Viewer) Ack(n uint32) {
	c := v.cast
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.holding == 0 || n != v.holding {
		return
	}
	v.holding, v.drawn = 0, n
	c.ackUnneeded()
	v.wakeReader()
}

// Input hands on an act of the user. It does not wait for the page; acts are
// carried out in order. An error says why it cannot be delivered.
func (v *Viewer) Input(ctx context.Context, in pane.Input) error {
	if err := ctx.Err(); err != nil {
		return cdp.Cause(ctx)
	}
	return v.cast.source.Input(in)
}

// Resize gives the page the size of the viewer's canvas, in CSS pixels, and how
// many pixels its screen has for one of them. A viewer with more than one gets a
// sharp picture whenever the page stands still. Of several viewers who look, the
// last one's size counts, also after another has gone.
func (v *Viewer) Resize(ctx context.Context, width, height int, ratio float64) error {
	c := v.cast
	c.mu.Lock()
	c.sizeRev++
	v.size = canvasSize{c.sizeRev, width, height, ratio}
	c.mu.Unlock()
	return c.source.Resize(ctx, width, height, ratio)
}

// SetVisible says whether anybody looks. Without a visible view nothing is filmed.
func (v *Viewer) SetVisible(on bool) {
	c := v.cast
	c.mu.Lock()
	if v.visible == on || v.closed {
		c.mu.Unlock()
		return
	}
	v.visible, v.holding, v.given = on, 0, 0
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

// Close ends the view; a Next that waits returns ErrClosed.
func (v *Viewer) Close() {
	c := v.cast
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
	n             int // counts the sizes that were told, 0 for none
	width, height int
	ratio         float64 // pixels of its screen for one of CSS
}

// applyNewestSize gives the page the size of whoever looks and was the last to tell theirs.
func (c *Screencast) applyNewestSize() {
	c.mu.Lock()
	var last canvasSize
	for v := range c.views {
		if v.visible && v.size.n > last.n {
			last = v.size
		}
	}
	c.mu.Unlock()
	if last.n == 0 {
		return
	}
	c.source.SetSize(last.width, last.height, last.ratio)
}
