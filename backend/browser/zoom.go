package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/script"
)

// Zoom shows the page larger or smaller: percent is brought within 25 and 500.
// It holds for whatever the pane shows next.
func (p *Pane) Zoom(ctx context.Context, percent int) error {
	percent = min(max(percent, 25), 500)
	return p.withPage("zooming", func(pg *page) error {
		if err := p.zoomPage(ctx, pg, percent); err != nil {
			return err
		}
		p.change(func() {
			p.zoom = percent
			p.updateOverlay()
		})
		return nil
	})
}

// zoomPage makes Chromium zoom every document of the page, the present one too.
func (p *Pane) zoomPage(ctx context.Context, pg *page, percent int) error {
	return pg.do(ctx, callLimit, "zooming", func(c proto.Client) error {
		p.mu.Lock()
		old := p.zoomScript
		p.zoomScript = ""
		p.mu.Unlock()
		if old != "" {
			if err := cdp.CallNoResult(c, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: old}); err != nil {
				return err
			}
		}
		raw, err := cdp.CallRaw(c, script.AddScript{
			Source:         fmt.Sprintf("if (self === top) goalpostHand.zoom(%g)", float64(percent)/100),
			WorldName:      script.WorldName,
			RunImmediately: true,
		})
		if err != nil {
			return err
		}
		var made proto.PageAddScriptToEvaluateOnNewDocumentResult
		if err := json.Unmarshal(raw, &made); err != nil {
			return fmt.Errorf("chromium's answer: %w", err)
		}
		p.mu.Lock()
		p.zoomScript = made.Identifier
		p.mu.Unlock()
		return nil
	})
}
