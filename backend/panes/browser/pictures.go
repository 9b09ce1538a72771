package browser

import (
	"context"
	"errors"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Pictures takes pictures of the page, one at a time.
type Pictures struct {
	state    *State
	prompts  *Prompts
	frames   *frames
	turns    *turns
	targets  *targets
	viewport *Viewport

	token chan struct{} // one token: for taking a picture
}

// The largest size of a picture of a whole page or of an element, in CSS pixels.
const (
	maxWidth  = 8192
	maxHeight = 16000
)

// Screenshot returns a JPEG of the viewport, or of at most the first 16,000 pixels of the whole page.
// One pixel is one CSS pixel.
func (pi *Pictures) Screenshot(ctx context.Context, full bool) ([]byte, error) {
	return pi.capture(ctx, func(ctx context.Context, pg *page, shot *proto.PageCaptureScreenshot) error {
		if !full {
			return nil
		}
		layout, err := pg.layout(ctx)
		if err == nil {
			clipRect(shot, proto.PageViewport{Width: layout.CSSContentSize.Width, Height: layout.CSSContentSize.Height})
		}
		return err
	})
}

func (p *page) layout(ctx context.Context) (layout *proto.PageGetLayoutMetricsResult, err error) {
	err = p.do(ctx, p.callLimit(), "measuring", func(c proto.Client) error {
		layout, err = cdp.Call(c, proto.PageGetLayoutMetrics{})
		return err
	})
	return layout, err
}

// PagePicture is a picture of a page, or of a part of its height, in CSS pixels.
type PagePicture struct {
	Image    []byte // PNG or JPEG
	From, To int    // the part that it shows
	Height   int    // of the whole page
}

// maxCaptureHeight is the height of a picture of a whole page that vision models accept.
const maxCaptureHeight = 8000

// CapturePage returns a JPEG of the viewport or of the whole page.
func (pi *Pictures) CapturePage(ctx context.Context, whole bool) (picture PagePicture, err error) {
	picture.Image, err = pi.capture(ctx, func(ctx context.Context, pg *page, shot *proto.PageCaptureScreenshot) error {
		return picture.prepare(ctx, pg, shot, whole)
	})
	return picture, err
}

// prepare measures the page, and sets what the picture shows.
func (pp *PagePicture) prepare(ctx context.Context, pg *page, shot *proto.PageCaptureScreenshot, whole bool) error {
	layout, err := pg.layout(ctx)
	if err != nil {
		return err
	}
	view := layout.CSSVisualViewport
	pp.Height = int(layout.CSSContentSize.Height)
	pp.From, pp.To = int(view.PageY), min(pp.Height, int(view.PageY+view.ClientHeight))
	if whole {
		pp.From, pp.To = 0, min(pp.Height, maxCaptureHeight)
		clipRect(shot, proto.PageViewport{Width: layout.CSSContentSize.Width, Height: float64(pp.To)})
	}
	return nil
}

// screenshotOf returns a JPEG of one element.
func (pi *Pictures) screenshotOf(ctx context.Context, target string) ([]byte, error) {
	return pi.capture(ctx, func(ctx context.Context, pg *page, shot *proto.PageCaptureScreenshot) error {
		var at proto.PageViewport
		where, err := pi.targets.callOnTarget(ctx, pg, &at, "boxOfElement", target)
		if err != nil {
			return err
		}
		if where != pg {
			corner := targetPoint{X: at.X, Y: at.Y}
			if err := pi.frames.toPagePoint(ctx, where, &corner); err != nil {
				return err
			}
			at.X, at.Y = corner.X, corner.Y
		}
		if at.Width < 1 || at.Height < 1 {
			return errors.New("the element takes no space on the page")
		}
		clipRect(shot, at)
		return nil
	})
}

// newScreenshot returns the command that takes a JPEG of the viewport.
func newScreenshot(quality int) proto.PageCaptureScreenshot {
	return proto.PageCaptureScreenshot{
		Format:           proto.PageCaptureScreenshotFormatJpeg,
		Quality:          &quality,
		OptimizeForSpeed: true,
	}
}

// clipRect makes it a picture of a part of the page. A document that has just begun has no size: then the picture is of
// the viewport.
func clipRect(shot *proto.PageCaptureScreenshot, at proto.PageViewport) {
	if at.Width < 1 || at.Height < 1 {
		return
	}
	at.Width, at.Height, at.Scale = min(at.Width, maxWidth), min(at.Height, maxHeight), 1
	shot.Clip, shot.CaptureBeyondViewport = &at, true
}

func (pi *Pictures) capture(
	ctx context.Context, prepare func(context.Context, *page, *proto.PageCaptureScreenshot) error,
) ([]byte, error) {
	var picture []byte
	err := pi.turns.withReadTurn(ctx, "taking a picture", func(ctx context.Context, pg *page) (err error) {
		for range maxDocumentsLeft {
			picture, err = pi.captureOnce(ctx, pg, prepare)
			if !errors.Is(err, errDocumentLeft) {
				return err
			}
		}
		return err
	})
	return picture, err
}

// maxDocumentsLeft is how often a page may leave its document while one picture is taken.
const maxDocumentsLeft = 5

func (pi *Pictures) captureOnce(
	ctx context.Context, pg *page, prepare func(context.Context, *page, *proto.PageCaptureScreenshot) error,
) ([]byte, error) {
	release, err := pi.holdMetrics(ctx, pg)
	if err != nil {
		return nil, err
	}
	defer release()
	defer pi.viewport.withUnitRatio(pg)()
	shot := newScreenshot(80)
	if err := prepare(ctx, pg, &shot); err != nil {
		return nil, err
	}
	return pi.captureRedacted(ctx, pg, shot)
}

// holdMetrics waits until no other picture is taken, and returns the function that ends this one and applies a size
// that came in the meantime. Chromium changes the metrics for a picture and restores them afterwards: two pictures at
// once would restore each other's metrics, a new size would be lost, and the screencast may miss the next change.
func (pi *Pictures) holdMetrics(ctx context.Context, pg *page) (func(), error) {
	select {
	case pi.token <- struct{}{}:
	case <-ctx.Done():
		return nil, cdp.Cause(ctx)
	}
	found, shown := pi.viewport.metrics(), pi.state.shownDocument()
	return func() {
		if pi.viewport.metrics() != found || pi.state.shownDocument() != shown { // then Chromium may not restore them
			pi.viewport.applyViewport(pg)
		}
		pi.viewport.screencast.Refresh()
		<-pi.token
	}, nil
}

// lockPictures waits until no picture of the page is being taken, and blocks the next one until
// the returned function is called. For a picture with a higher resolution Chromium enlarges the
// page for a moment: a click would hit something else.
func (pi *Pictures) lockPictures() func() {
	hangs := time.NewTimer(pi.state.m.limits.input)
	defer hangs.Stop()
	select {
	case pi.token <- struct{}{}:
		return func() { <-pi.token }
	case <-hangs.C:
	case <-pi.state.ctx.Done():
	}
	return func() {}
}

// captureHiDPI takes a picture with the resolution of the viewer's screen.
func (pi *Pictures) captureHiDPI(pg *page) ([]byte, error) {
	ctx, cancel := pi.prompts.withoutPrompts(pi.state.ctx)
	defer cancel(nil)
	release, err := pi.holdMetrics(ctx, pg)
	if err != nil {
		return nil, err
	}
	defer release()
	var picture []byte
	err = pg.do(ctx, pg.callLimit(), "taking a high-resolution picture", func(cl proto.Client) error {
		result, err := cdp.Call(cl, newScreenshot(80))
		if err != nil {
			return err
		}
		picture = result.Data
		// The answer to the picture comes before the page has its own size again. The answer to this command comes
		// afterwards.
		_, err = cdp.Call(cl, proto.RuntimeEvaluate{Expression: "1"})
		return err
	})
	return picture, err
}

// Capture returns a JPEG as described by what. One pixel is one CSS pixel.
func (pi *Pictures) Capture(ctx context.Context, what pane.ScreenshotOptions) ([]byte, error) {
	switch {
	case what.Target != "":
		return pi.screenshotOf(ctx, what.Target)
	case what.Marked:
		return pi.screenshotMarked(ctx)
	}
	return pi.Screenshot(ctx, what.Full)
}
