package screencast

import (
	"context"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Viewer is one viewer of a pane. One goroutine may call Next; the other methods may be called
// concurrently.
type Viewer struct {
	screencast *Screencast
	wake       chan struct{}
	records    bool // it needs frames only while the page is used

	// Guarded by the screencast's mutex.
	visible    bool
	size       *pane.SizedViewer
	holding    uint32 // the frame that is being drawn, 0 if none
	lastGiven  uint32 // the newest frame returned by Next
	lastDrawn  uint32 // the newest frame acknowledged
	rev        int    // of the info returned last
	overlayRev int    // of the overlay returned last
	closed     bool
}

// Attach opens a view. Next first returns the pane's info and, as soon as there is one, the
// newest frame.
func (s *Screencast) Attach() *Viewer { return s.attach(false) }

// AttachRecorder is Attach for a recorder. A page that rests unseen is not drawn for it alone: it gets frames during
// each use and a moment longer.
func (s *Screencast) AttachRecorder() *Viewer { return s.attach(true) }

func (s *Screencast) attach(records bool) *Viewer {
	v := &Viewer{
		screencast: s,
		wake:       make(chan struct{}, 1),
		records:    records,
		visible:    true,
		rev:        -1,
		overlayRev: -1,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.size = s.sizes.Add()
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
	if c.screenshot != nil && v.size.Space.Ratio > 1 {
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

// Again asks for the current picture once more, for a viewer that could not use the frame that it holds.
func (v *Viewer) Again() {
	c := v.screencast
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running || c.page == nil {
		return
	}
	c.unacked = nil
	c.page.Post(proto.PageStopScreencast{})
	c.start()
}

// Input passes on an input of the user. It does not wait for the page; inputs are processed in
// order. It fails if the input cannot be delivered.
func (v *Viewer) Input(ctx context.Context, in pane.Input) error {
	if err := ctx.Err(); err != nil {
		return cdp.Cause(ctx)
	}
	return v.screencast.source.Input(in)
}

// Resize stores the viewer's space for the page, in CSS pixels, and the pixel ratio of its screen. A viewer with a
// ratio above 1 gets a picture with that resolution whenever the page has stopped changing. Whether the page gets that
// size, pane.Sizes decides; looks means that the viewer never sets it.
func (v *Viewer) Resize(width, height int, ratio float64, looks bool) {
	c := v.screencast
	c.mu.Lock()
	c.sizes.SetSpace(v.size, pane.Size{Width: width, Height: height, Ratio: ratio}, looks)
	c.mu.Unlock()
	c.applySize()
}

// GiveKeyboard notes that the user turned to this viewer: the page gets its size.
func (v *Viewer) GiveKeyboard() {
	c := v.screencast
	c.mu.Lock()
	c.sizes.GiveKeyboard(v.size)
	c.mu.Unlock()
	c.applySize()
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
	c.sizes.SetVisible(v.size, on)
	c.run()
	c.ackUnneeded()
	v.wakeReader()
	c.mu.Unlock()
	c.applySize()
	if on {
		c.source.Wake()
	}
}

// Close ends the view; a waiting Next returns ErrClosed.
func (v *Viewer) Close() {
	c := v.screencast
	c.mu.Lock()
	v.closed = true
	delete(c.views, v)
	c.sizes.Remove(v.size)
	c.run()
	c.ackUnneeded()
	v.wakeReader()
	c.mu.Unlock()
	c.applySize()
}

// applySize gives the page the size that its viewers set.
func (s *Screencast) applySize() {
	s.mu.Lock()
	size, ok := s.sizes.Get()
	s.mu.Unlock()
	if ok {
		s.source.SetSize(size)
	}
}
