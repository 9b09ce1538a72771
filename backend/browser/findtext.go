package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// Found is where a search in the page stands: the match that is shown, counted
// from 1, of at most 2,000. Both are 0 when nothing matches.
type Found struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Find marks all places of the page that say text, whatever the case, and
// scrolls to the match that is step places after the last one: 1 is the next, -1
// the one before, 0 the same. No text ends the search.
func (p *Pane) Find(ctx context.Context, text string, step int) (Found, error) {
	var f Found
	if len(text) > 1000 {
		return f, errors.New("finding: the text is longer than 1,000 bytes")
	}
	err := p.withPage("finding", func(pg *page) error {
		quoted, err := json.Marshal(text)
		if err != nil {
			return fmt.Errorf("the text: %w", err)
		}
		return p.handy(ctx, pg, &f, fmt.Sprintf("find(%s, %d)", quoted, step))
	})
	return f, err
}

// handy calls a function of hand.js in the main frame.
func (p *Pane) handy(ctx context.Context, pg *page, out any, call string) error {
	ctx, cancel := p.undisturbed(ctx)
	defer cancel(nil)
	world, err := pg.world(ctx)
	if err != nil {
		return err
	}
	raw, err := evaluate(ctx, pg, world, "goalpostHand."+call)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("the page's answer: %w", err)
	}
	return nil
}

func (p *Pane) withPage(what string, f func(*page) error) error {
	pg, err := p.current()
	if err == nil {
		err = f(pg)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

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
			p.redraw()
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
			if err := tell(c, proto.PageRemoveScriptToEvaluateOnNewDocument{Identifier: old}); err != nil {
				return err
			}
		}
		bound, ok := c.(client)
		if !ok {
			return errors.New("the client has no session")
		}
		raw, err := bound.Call(ctx, string(pg.session), "Page.addScriptToEvaluateOnNewDocument", addScript{
			Source: fmt.Sprintf("if (self === top) goalpostHand.zoom(%g)", float64(percent)/100), WorldName: worldName, RunImmediately: true,
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
