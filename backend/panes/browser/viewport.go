package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/screencast"
)

// Viewport is the size of the page, its pixel ratio and its zoom. Its mutex is never held during
// a call of another part.
type Viewport struct {
	state      *State
	screencast *screencast.Screencast

	applyMu sync.Mutex // held while the size is sent to the page

	mu         sync.Mutex // guards what follows
	width      int        // CSS pixels
	height     int
	ratio      float64                    // pixels of the viewer's screen for one CSS pixel
	zoomScript proto.PageScriptIdentifier // of the page, "" if it has none
}

// maxRatio limits the pixel ratio of a screen.
const maxRatio = 3

// size returns the page's size in CSS pixels.
func (vp *Viewport) size() (width, height int) {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	return vp.width, vp.height
}

// setSize stores a size, within its limits, and reports whether it changed.
func (vp *Viewport) setSize(width, height int) bool {
	width, height = clampSize(width, height)
	vp.mu.Lock()
	defer vp.mu.Unlock()
	same := vp.width == width && vp.height == height
	vp.width, vp.height = width, height
	return !same
}

// metrics returns the command that sets the size and the pixel ratio of the page.
func (vp *Viewport) metrics() proto.EmulationSetDeviceMetricsOverride {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	return proto.EmulationSetDeviceMetricsOverride{Width: vp.width, Height: vp.height, DeviceScaleFactor: vp.ratio}
}

// applyViewport sends the pane's size to the page. Call it after each change: however many calls
// run at once, the last one sends the newest size.
func (vp *Viewport) applyViewport(pg *page) {
	vp.applyMu.Lock()
	defer vp.applyMu.Unlock()
	pg.Post(vp.metrics())
}

// Resize changes the viewport, in CSS pixels; sizes are limited to between 64 and 4096.
func (vp *Viewport) Resize(ctx context.Context, width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("resizing to %d x %d: both must be more than 0", width, height)
	}
	same := !vp.setSize(width, height)
	pg, err := vp.state.currentPage()
	if same || errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) { // the next page gets the size
		return nil
	}
	if err != nil {
		return fmt.Errorf("resizing: %w", err)
	}
	vp.applyViewport(pg)
	vp.screencast.Refresh()
	return nil
}

// setPixelRatio stores the pixel ratio of the viewer's screen. A goal's page always has 1,
// because its agent measures positions in pictures.
func (vp *Viewport) setPixelRatio(ratio float64) {
	if vp.state.goalID != "" {
		return
	}
	ratio = min(max(ratio, 1), maxRatio)
	vp.mu.Lock()
	same := vp.ratio == ratio
	vp.ratio = ratio
	vp.mu.Unlock()
	if pg, err := vp.state.currentPage(); err == nil && !same {
		vp.applyViewport(pg)
		vp.screencast.Refresh()
	}
}

// toCSSSize converts the size of a frame to CSS pixels. While the ratio changes, Chromium
// sometimes reports the size in screen pixels, and clicks would be scaled accordingly.
func (vp *Viewport) toCSSSize(width, height int) (int, int) {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	isScreenSize := func(reported, css int) bool { return math.Abs(float64(reported)-float64(css)*vp.ratio) <= 1 }
	if vp.ratio > 1 && isScreenSize(width, vp.width) && isScreenSize(height, vp.height) {
		return vp.width, vp.height
	}
	return width, height
}

// withUnitRatio gives the page a pixel ratio of 1 until the returned function is called.
func (vp *Viewport) withUnitRatio(pg *page) func() {
	plain := vp.metrics()
	if plain.DeviceScaleFactor == 1 {
		return func() {}
	}
	plain.DeviceScaleFactor = 1
	pg.Post(plain)
	return func() { vp.applyViewport(pg) }
}

func clampSize(width, height int) (int, int) {
	return min(max(width, 64), 4096), min(max(height, 64), 4096)
}

// setViewerSize gives the page the size of a viewer.
func (vp *Viewport) setViewerSize(width, height int, ratio float64) {
	vp.setPixelRatio(ratio)
	same := !vp.setSize(width, height)
	if pg, err := vp.state.currentPage(); err == nil && !same {
		vp.applyViewport(pg)
		vp.screencast.Refresh()
	}
}
