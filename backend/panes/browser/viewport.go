package browser

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/screencast"
)

// Viewport is the size of the page, its pixel ratio and its zoom. Its mutex is never held during
// a call of another part.
type Viewport struct {
	state      *State
	screencast *screencast.Screencast
	noPictures func() (end func()) // waits for the picture that is being taken, and takes none until the end

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
func (v *Viewport) size() (width, height int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.width, v.height
}

// setSize stores a size, within its limits, and reports whether it changed.
func (v *Viewport) setSize(width, height int) bool {
	width, height = clampSize(width, height)
	v.mu.Lock()
	defer v.mu.Unlock()
	same := v.width == width && v.height == height
	v.width, v.height = width, height
	return !same
}

// metrics returns the command that sets the size and the pixel ratio of the page.
func (v *Viewport) metrics() proto.EmulationSetDeviceMetricsOverride {
	v.mu.Lock()
	defer v.mu.Unlock()
	return proto.EmulationSetDeviceMetricsOverride{Width: v.width, Height: v.height, DeviceScaleFactor: v.ratio}
}

// applyViewport sends the pane's size to the page. Call it after each change: however many calls
// run at once, the last one sends the newest size.
func (v *Viewport) applyViewport(pg *page) {
	v.applyMu.Lock()
	defer v.applyMu.Unlock()
	pg.Post(v.metrics())
}

// set gives the page a size, in CSS pixels, and the pixel ratio of the screen that it is shown on. Sizes are limited to
// between 64 and 4096. A page that does not exist yet gets them when it does.
func (v *Viewport) set(size pane.Size) {
	same := !v.setSize(size.Width, size.Height)
	ratio := min(max(size.Ratio, 1), maxRatio)
	v.mu.Lock()
	same = same && v.ratio == ratio
	v.ratio = ratio
	v.mu.Unlock()
	if pg, err := v.state.currentPage(); err == nil && !same {
		v.applyViewport(pg)
		v.screencast.Refresh()
	}
}

// SetOwn gives a goal's page another size, and reports whether it may have one: a user's page has that of its viewers.
// It returns when the page has that size, so that the next document begins in it, or when a page that hangs does not
// take it. A picture that is being taken would give the page its former size back.
func (v *Viewport) SetOwn(ctx context.Context, width, height int) bool {
	if !v.state.keepsSize() {
		return false
	}
	defer v.noPictures()()
	v.set(pane.Size{Width: width, Height: height})
	if pg, err := v.state.currentPage(); err == nil {
		v.waitUntilApplied(ctx, pg)
	}
	return true
}

// waitUntilApplied returns when the page has its size, which it receives after the command that sets it.
func (v *Viewport) waitUntilApplied(ctx context.Context, pg *page) {
	ctx, cancel := context.WithTimeout(ctx, v.state.m.limits.settle)
	defer cancel()
	ctx, stop := cdp.JoinContexts(ctx, pg.alive)
	defer stop(nil)
	for ctx.Err() == nil {
		v.state.mu.Lock()
		changed := v.state.changed // by Page.frameResized
		v.state.mu.Unlock()
		has, err := pg.evalInScriptWorld(ctx, "`${innerWidth} by ${innerHeight}`")
		width, height := v.size()
		if err != nil || string(has) == strconv.Quote(fmt.Sprintf("%d by %d", width, height)) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// toCSSSize converts the size of a frame to CSS pixels. While the ratio changes, Chromium
// sometimes reports the size in screen pixels, and clicks would be scaled accordingly.
func (v *Viewport) toCSSSize(width, height int) (int, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	isScreenSize := func(reported, css int) bool { return math.Abs(float64(reported)-float64(css)*v.ratio) <= 1 }
	if v.ratio > 1 && isScreenSize(width, v.width) && isScreenSize(height, v.height) {
		return v.width, v.height
	}
	return width, height
}

// withUnitRatio gives the page a pixel ratio of 1 until the returned function is called.
func (v *Viewport) withUnitRatio(pg *page) func() {
	plain := v.metrics()
	if plain.DeviceScaleFactor == 1 {
		return func() {}
	}
	plain.DeviceScaleFactor = 1
	pg.Post(plain)
	return func() { v.applyViewport(pg) }
}

func clampSize(width, height int) (int, int) {
	return min(max(width, 64), 4096), min(max(height, 64), 4096)
}
