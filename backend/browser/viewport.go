package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/screencast"
)

// viewport is the size of the page and of its pixels, and its zoom. Its mutex is held for
// no call of another part.
type viewport struct {
	state      *state
	screencast *screencast.Screencast

	applyMu sync.Mutex // held while the page is told its size

	mu         sync.Mutex // guards what follows
	width      int        // CSS pixels
	height     int
	ratio      float64                    // pixels of the viewer's screen for one of CSS
	zoomScript proto.PageScriptIdentifier // of the page, "" if it has none
}

// maxRatio bounds the pixels of a screen for one of CSS.
const maxRatio = 3

// size is the page's size in CSS pixels.
func (vp *viewport) size() (width, height int) {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	return vp.width, vp.height
}

// setSize notes a size, within its bounds, and says whether it is another one.
func (vp *viewport) setSize(width, height int) bool {
	width, height = clampSize(width, height)
	vp.mu.Lock()
	defer vp.mu.Unlock()
	same := vp.width == width && vp.height == height
	vp.width, vp.height = width, height
	return !same
}

// metrics is the size of the page, in CSS pixels, on the screen that it is seen on.
func (vp *viewport) metrics() proto.EmulationSetDeviceMetricsOverride {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	return proto.EmulationSetDeviceMetricsOverride{Width: vp.width, Height: vp.height, DeviceScaleFactor: vp.ratio}
}

// applyViewport gives the page the pane's size. Whoever changes that calls it afterwards:
// however many do so at once, the last that Chromium hears of is the newest.
func (vp *viewport) applyViewport(pg *page) {
	vp.applyMu.Lock()
	defer vp.applyMu.Unlock()
	pg.Post(vp.metrics())
}

// Resize gives the page a new viewport, in CSS pixels; extreme sizes are
// brought within 64 and 4096.
func (vp *viewport) Resize(ctx context.Context, width, height int) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("resizing to %d x %d: both must be more than 0", width, height)
	}
	same := !vp.setSize(width, height)
	pg, err := vp.state.currentPage()
	if same || errors.Is(err, ErrCrashed) || errors.Is(err, ErrEnded) { // the next page takes it over
		return nil
	}
	if err != nil {
		return fmt.Errorf("resizing: %w", err)
	}
	vp.applyViewport(pg)
	vp.screencast.Refresh()
	return nil
}

// setPixelRatio notes what the viewer's screen has for one pixel of CSS. A goal's page
// has one: its agent's pictures are measured in it.
func (vp *viewport) setPixelRatio(ratio float64) {
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

// toCSSSize is the size of a frame in pixels of CSS. While the screen's ratio changes,
// Chromium tells that of now and then in the screen's pixels, and clicks would be
// taken to lie that much further.
func (vp *viewport) toCSSSize(width, height int) (int, int) {
	vp.mu.Lock()
	defer vp.mu.Unlock()
	fine := func(told, css int) bool { return math.Abs(float64(told)-float64(css)*vp.ratio) <= 1 }
	if vp.ratio > 1 && fine(width, vp.width) && fine(height, vp.height) {
		return vp.width, vp.height
	}
	return width, height
}

// withUnitRatio makes the page have one pixel for one of CSS, until the function that
// it gives is called.
func (vp *viewport) withUnitRatio(pg *page) func() {
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

// setViewerSize gives the page the size of a viewer who looks.
func (vp *viewport) setViewerSize(width, height int, ratio float64) {
	vp.setPixelRatio(ratio)
	same := !vp.setSize(width, height)
	if pg, err := vp.state.currentPage(); err == nil && !same {
		vp.applyViewport(pg)
		vp.screencast.Refresh()
	}
}
