package browser

import (
	"context"
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
}

// Attach opens a view. Next first returns the pane's info and, as soon as there is one, the
// newest frame.
func (p *Pane) Attach() *Viewer { return p.screencast.Attach() }

// Shown returns the info beside the picture and the overlay on it.
func (f *screencastSource) Shown() (info pane.Info, rev int, overlay pane.Overlay, overlayRev int) {
	f.state.mu.Lock()
	defer f.state.mu.Unlock()
	return f.state.info, f.state.rev, f.state.overlay, f.state.overlayRev
}

// CSSSize is the size of a frame in CSS pixels.
func (f *screencastSource) CSSSize(width, height int) (int, int) {
	return f.viewport.toCSSSize(width, height)
}

// HasHiDPI reports whether viewers may get pictures with a higher resolution: a goal's page has
// one pixel for each CSS pixel.
func (f *screencastSource) HasHiDPI() bool { return f.state.goalID == "" }

// CaptureHiDPI takes a picture with the resolution of the viewer's screen.
func (f *screencastSource) CaptureHiDPI(of screencast.Page) ([]byte, error) {
	pg, ok := of.(*page)
	if !ok {
		return nil, errors.New("a high-resolution picture: the page is not of this pane")
	}
	picture, err := f.pictures.captureHiDPI(pg)
	if err != nil {
		f.state.m.cfg.Log.Debug("taking a high-resolution picture", "pane", f.state.id, "error", err)
	}
	return picture, err
}

// Input processes the input of a viewer.
func (f *screencastSource) Input(in pane.Input) error { return f.input.input(in) }

// Resize gives the page the size of a viewer's canvas.
func (f *screencastSource) Resize(ctx context.Context, width, height int, ratio float64) error {
	f.viewport.setPixelRatio(ratio)
	return f.viewport.Resize(ctx, width, height)
}

// SetSize gives the page the size of the remaining viewer.
func (f *screencastSource) SetSize(width, height int, ratio float64) {
	f.viewport.setViewerSize(width, height, ratio)
}
