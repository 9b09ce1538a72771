package browser

import (
	"errors"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/screencast"
)

// Viewer is one viewer of a pane.
type Viewer = screencast.Viewer

// screencastSource is a pane as the source of its screencast.
type screencastSource struct {
	state    *State
	viewport *Viewport
	pictures *Pictures
	input    *userInput
	wake     func()
}

// Attach opens a view. Next first returns the pane's info and, as soon as there is one, the
// newest frame.
func (p *Pane) Attach() *Viewer {
	p.wake()
	return p.screencast.Attach()
}

// AttachRecorder opens the view of a recorder, which gets frames while the page is used.
func (p *Pane) AttachRecorder() *Viewer {
	p.wake()
	return p.screencast.AttachRecorder()
}

// Shown returns the info beside the picture and the overlay on it.
func (s *screencastSource) Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.info, s.state.rev, s.state.overlay, s.state.overlayRev
}

// CSSSize is the size of a frame in CSS pixels.
func (s *screencastSource) CSSSize(width, height int) (int, int) {
	return s.viewport.toCSSSize(width, height)
}

// HasHiDPI reports whether viewers may get pictures with a higher resolution: a goal's page has
// one pixel for each CSS pixel.
func (s *screencastSource) HasHiDPI() bool { return !s.state.keepsSize() }

// RestsUnseen reports whether Chromium need not draw the page while nobody looks at it or uses it. A goal's page rests;
// that of a user is always drawn.
func (s *screencastSource) RestsUnseen() bool { return s.state.keepsSize() }

// CaptureHiDPI takes a picture with the resolution of the viewer's screen.
func (s *screencastSource) CaptureHiDPI(of screencast.Page) ([]byte, error) {
	pg, ok := of.(*page)
	if !ok {
		return nil, errors.New("a high-resolution picture: the page is not of this pane")
	}
	picture, err := s.pictures.captureHiDPI(pg)
	if err != nil {
		s.state.m.cfg.Log.Debug("taking a high-resolution picture", "pane", s.state.id, "error", err)
	}
	return picture, err
}

// Input processes the input of a viewer.
func (s *screencastSource) Input(in pane.Input) error { return s.input.input(in) }

// Wake loads a page that was opened asleep, or that was discarded.
func (s *screencastSource) Wake() { s.wake() }

// SetSize gives the page of a user the size that its viewers set. A goal's page keeps its own size, because its agent
// must see the same page wherever and however users look at it.
func (s *screencastSource) SetSize(size pane.Size) {
	if !s.state.keepsSize() {
		s.viewport.set(size)
	}
}
