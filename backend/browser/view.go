package browser

import (
	"context"

	"goalpost/backend/pane"
)

// View is one viewer of a pane. Next is called by one goroutine, the other
// methods by any.
type View struct {
	pane *Pane
	wake chan struct{}

	// Guarded by pane.cast.mu.
	visible bool
	holding uint32 // the frame that was given and not yet drawn, 0 if none
	given   uint32 // the newest frame given
	drawn   uint32 // the newest frame acknowledged
	rev     int    // of the info that was given
	over    int    // of the overlay that was given
	closed  bool
}

// Attach opens a view. The first things that Next gives are the pane's info
// and, as soon as there is one, the newest frame.
func (p *Pane) Attach() *View {
	v := &View{pane: p, wake: make(chan struct{}, 1), visible: true, rev: -1, over: -1}
	c := p.cast
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views[v] = struct{}{}
	c.run()
	return v
}

func (v *View) poke() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Next waits for news: a changed info or overlay, or a frame that is newer than
// the last one. The frame must be acknowledged when it is drawn; until then only infos
// come. The error is ErrClosed when the view or the pane was closed.
func (v *View) Next(ctx context.Context) (pane.News, error) {
	for {
		if news, err := v.news(); news != (pane.News{}) || err != nil {
			return news, err
		}
		select {
		case <-v.wake:
		case <-ctx.Done():
			return pane.News{}, cause(ctx)
		}
	}
}

func (v *View) news() (pane.News, error) {
	p, c := v.pane, v.pane.cast
	p.mu.Lock()
	info, rev := p.info, p.rev
	overlay, over := p.overlay, p.overRev
	p.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case v.closed:
		return pane.News{}, ErrClosed
	case v.rev != rev:
		v.rev = rev
		return pane.News{Info: &info}, nil
	case c.closed:
		return pane.News{}, ErrClosed
	case v.over != over:
		v.over = over
		return pane.News{Overlay: &overlay}, nil
	case !v.visible || v.holding != 0 || c.latest == nil || v.given >= c.latest.N:
		return pane.News{}, nil
	}
	v.holding, v.given = c.latest.N, c.latest.N
	c.settle()
	return pane.News{Frame: c.latest}, nil
}

// Ack says that frame n is drawn. Numbers that were not given are ignored.
func (v *View) Ack(n uint32) {
	c := v.pane.cast
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.holding == 0 || n != v.holding {
		return
	}
	v.holding, v.drawn = 0, n
	c.settle()
	v.poke()
}

// Input hands on an act of the person. It does not wait for the page; acts are
// carried out in order. An error says why it cannot be delivered.
func (v *View) Input(ctx context.Context, in pane.Input) error {
	if err := ctx.Err(); err != nil {
		return cause(ctx)
	}
	return v.pane.input(in)
}

// Resize gives the page the size of the viewer's canvas, in CSS pixels.
func (v *View) Resize(ctx context.Context, width, height int) error {
	return v.pane.Resize(ctx, width, height)
}

// SetVisible says whether anybody looks. Without a visible view nothing is filmed.
func (v *View) SetVisible(on bool) {
	c := v.pane.cast
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.visible == on || v.closed {
		return
	}
	v.visible, v.holding, v.given = on, 0, 0
	c.run()
	c.settle()
	v.poke()
}

// Close ends the view; a Next that waits returns ErrClosed.
func (v *View) Close() {
	c := v.pane.cast
	c.mu.Lock()
	defer c.mu.Unlock()
	v.closed = true
	delete(c.views, v)
	c.run()
	c.settle()
	v.poke()
}
