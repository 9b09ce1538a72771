package browser

import (
	"context"

	"github.com/go-rod/rod/lib/proto"
)

// Screenshot is a JPEG of the viewport, or of the whole page, of which at most
// the first 16,000 pixels are shown.
func (p *Pane) Screenshot(ctx context.Context, full bool) ([]byte, error) {
	var picture []byte
	err := p.inTurn(ctx, "taking a picture", func(ctx context.Context, pg *page) error {
		return pg.do(ctx, callLimit, "capturing", func(c proto.Client) error {
			quality := 80
			shot := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatJpeg, Quality: &quality, OptimizeForSpeed: true}
			if full {
				layout, err := ask(c, proto.PageGetLayoutMetrics{})
				if err != nil {
					return err
				}
				shot.CaptureBeyondViewport = true
				shot.Clip = &proto.PageViewport{Width: min(layout.CSSContentSize.Width, 8192), Height: min(layout.CSSContentSize.Height, 16000), Scale: 1}
			}
			result, err := ask(c, shot)
			if err == nil {
				picture = result.Data
			}
			return err
		})
	})
	return picture, err
}
