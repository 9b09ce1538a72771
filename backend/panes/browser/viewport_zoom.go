package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// Zoom enlarges or shrinks the page; percent is limited to between 25 and 500. It applies to all
// later pages of the pane, too.
func (v *Viewport) Zoom(ctx context.Context, percent int) error {
	percent = min(max(percent, 25), 500)
	return v.state.withPage("zooming", func(pg *page) error {
		if err := v.zoomPage(ctx, pg, percent); err != nil {
			return err
		}
		v.state.change(func() {
			v.state.updateOverlay(func(o *pane.Overlay) { o.Zoom = percent })
		})
		return nil
	})
}

// zoomPage zooms every document of the page, including the current one.
func (v *Viewport) zoomPage(ctx context.Context, pg *page, percent int) error {
	return pg.do(ctx, pg.callLimit(), "zooming", func(c proto.Client) error {
		v.mu.Lock()
		old := v.zoomScript
		v.zoomScript = ""
		v.mu.Unlock()
		if old != "" {
			if err := cdp.CallNoResult(c, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: old}); err != nil {
				return err
			}
		}
		raw, err := cdp.CallRaw(c, script.AddScript{
			Source:         fmt.Sprintf("if (self === top) goalpostPrompts.zoom(%g)", float64(percent)/100),
			WorldName:      script.UserPromptsWorldName,
			RunImmediately: true,
		})
		if err != nil {
			return err
		}
		var result proto.PageAddScriptToEvaluateOnNewDocumentResult
		if err := json.Unmarshal(raw, &result); err != nil {
			return fmt.Errorf("chromium's answer: %w", err)
		}
		v.mu.Lock()
		v.zoomScript = result.Identifier
		v.mu.Unlock()
		return nil
	})
}

// forgetZoom records that a new page has no zoom yet.
func (v *Viewport) forgetZoom() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.zoomScript = ""
}
