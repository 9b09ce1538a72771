package browser

import (
	"context"
	"errors"

	"goalpost/backend/browser/screencast"
	"goalpost/backend/pane"
)

// Viewer is one viewer of a pane.
type Viewer = screencast.Viewer

// filmed is a pane as the source of its screencast.
type filmed struct {
	state    *state
	viewport *viewport
	pictures *pictures
	input    *userInput
}

// Attach opens a view. Next first returns the pane's info and, as soon as there is one, the
// newest frame.
func (p *Pane) Attach() *Viewer { return p.screencast.Attach() }

// Shown returns what is shown beside and over the picture.
func (f *filmed) Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int) {
	f.state.mu.Lock()
	defer f.state.mu.Unlock()
	return f.state.info, f.state.rev, f.state.overlay, f.state.overlayRev
}

// CSSSize is the size of a frame in CSS pixels.
func (f *filmed) CSSSize(width, height int) (int, int) { return f.viewport.toCSSSize(width, height) }

// HasHiDPI reports whether viewers may get pictures with a higher resolution: a goal's page has
// one pixel for each CSS pixel.
func (f *filmed) HasHiDPI() bool { return f.state.goalID == "" }

// CaptureHiDPI takes a picture with the resolution of the viewer's screen.
func (f *filmed) CaptureHiDPI(of screencast.Page) ([]byte, error) {
	pg, ok := of.(*page)
	if !ok {
		return nil, errors.New("a sharp picture: this is no page of the pane")
	}
	picture, err := f.pictures.captureHiDPI(pg)
	if err != nil {
		f.state.m.cfg.Log.Debug("a sharp picture", "pane", f.state.id, "error", err)
	}
	return picture, err
}

// Input processes the input of a viewer.
func (f *filmed) Input(in pane.Input) error { return f.input.input(in) }

// Resize gives the page the size of a viewer's canvas.
func (f *filmed) Resize(ctx context.Context, width, height int, ratio float64) error {
	f.viewport.setPixelRatio(ratio)
	return f.viewport.Resize(ctx, width, height)
}

// SetSize gives the page the size of the remaining viewer.
func (f *filmed) SetSize(width, height int, ratio float64) {
	f.viewport.setViewerSize(width, height, ratio)
}
