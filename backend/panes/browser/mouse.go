package browser

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Mouse is the agent's mouse.
type Mouse struct {
	state    *State
	activity *Activity
	frames   *frames
	targets  *targets
	actions  *Actions
	viewport *Viewport

	drag drag
}

// Hover moves the pointer onto an element and leaves it there.
func (m *Mouse) Hover(ctx context.Context, target string) (ActionResult, error) {
	return m.actions.runAction(ctx, "pointing at "+text.SanitizeLine(target, 80),
		func(ctx context.Context, pg *page) error {
			at, err := m.resolveTarget(ctx, pg, "point at", target)
			if err != nil {
				return err
			}
			m.state.change(func() { m.state.network.expectsDelay, m.state.network.ref = true, at.Ref })
			return m.mouseTo(ctx, pg, at, 0)
		})
}

// Drag drags one element onto another with the left button. Each may also be a point of the
// viewport: at=X,Y.
func (m *Mouse) Drag(ctx context.Context, from, to string) (ActionResult, error) {
	return m.actions.runAction(ctx, "dragging "+text.SanitizeLine(from, 80), func(ctx context.Context, pg *page) error {
		start, isPoint := parsePoint(from)
		end, endIsPoint := parsePoint(to)
		var err error
		if !isPoint {
			if start, err = m.resolveTarget(ctx, pg, "drag", from); err != nil {
				return err
			}
		}
		if !endIsPoint {
			where, err := m.targets.callOnTarget(ctx, pg, &end, "locateDrop", to, start.Ref)
			if err == nil {
				err = m.frames.toPagePoint(ctx, where, &end)
			}
			if err != nil {
				return err
			}
		}
		return m.dragTo(ctx, pg, start, end)
	})
}

// pagePositionOf scrolls to an element and sets at to its position on the page.
func (m *Mouse) pagePositionOf(ctx context.Context, pg *page, at *targetPoint, target string) error {
	where, err := m.targets.callOnTarget(ctx, pg, at, "locateElement", target)
	if err != nil {
		return err
	}
	return m.frames.toPagePoint(ctx, where, at)
}

// parsePoint parses at=X,Y.
func parsePoint(target string) (targetPoint, bool) {
	x, y, found := strings.Cut(strings.TrimPrefix(target, "at="), ",")
	left, bad := strconv.Atoi(x)
	top, worse := strconv.Atoi(y)
	if !found || !strings.HasPrefix(target, "at=") || bad != nil || worse != nil {
		return targetPoint{}, false
	}
	return targetPoint{X: float64(left), Y: float64(top), Words: target}, true
}

func (m *Mouse) dragTo(ctx context.Context, pg *page, start, end targetPoint) error {
	if err := m.mouseTo(ctx, pg, start, 0); err != nil {
		return err
	}
	if err := m.dispatchMouseButton(ctx, pg, pane.MouseDown, start); err != nil {
		return err
	}
	const steps = 8
	for i := 1; i <= steps; i++ {
		part := float64(i) / steps
		at := targetPoint{X: start.X + (end.X-start.X)*part, Y: start.Y + (end.Y-start.Y)*part}
		if err := m.mouseTo(ctx, pg, at, 1); err != nil {
			return err
		}
	}
	m.actions.showActionHint("drops on "+text.SanitizeLine(end.Words, 80), end.X, end.Y)
	return m.dispatchMouseButton(ctx, pg, pane.MouseUp, end)
}

// mouseTo moves the pointer and waits until the page has processed the move.
func (m *Mouse) mouseTo(ctx context.Context, pg *page, at targetPoint, buttons int) error {
	in := pane.Input{Kind: pane.MouseMove, X: at.X, Y: at.Y, Buttons: buttons}
	for _, d := range m.drag.events(in) {
		if err := pg.send(ctx, pg.callLimit(), "the mouse", d); err != nil {
			return err
		}
	}
	req, err := mouseCommand(in)
	if err != nil {
		return err
	}
	return pg.send(ctx, pg.callLimit(), "the mouse", req)
}

func (m *Mouse) dispatchMouseButton(ctx context.Context, pg *page, kind pane.InputKind, at targetPoint) error {
	in := pane.Input{Kind: kind, X: at.X, Y: at.Y, Button: "left", Clicks: 1}
	if kind == pane.MouseDown {
		in.Buttons = 1
	}
	req, err := mouseCommand(in)
	if err != nil {
		return err
	}
	return pg.do(ctx, pg.callLimit(), "the mouse", func(c proto.Client) error {
		for _, d := range m.drag.events(in) {
			if err := cdp.CallNoResult(c, d); err != nil {
				return err
			}
		}
		return cdp.CallNoResult(c, req)
	})
}

// ScrollTo scrolls to an element.
func (m *Mouse) ScrollTo(ctx context.Context, target string) (ActionResult, error) {
	return m.actions.runAction(ctx, "scrolling to "+text.SanitizeLine(target, 80),
		func(ctx context.Context, pg *page) error {
			var at targetPoint
			if err := m.pagePositionOf(ctx, pg, &at, target); err != nil {
				return err
			}
			m.actions.showActionHint("scrolls to "+text.SanitizeLine(at.Words, 80), at.X, at.Y)
			return nil
		})
}

// Scroll turns the wheel over an element, or over the middle of the page if target is "", by CSS
// pixels.
func (m *Mouse) Scroll(ctx context.Context, target string, right, down float64) (ActionResult, error) {
	return m.actions.runAction(ctx, "scrolling", func(ctx context.Context, pg *page) error {
		width, height := m.viewport.size()
		at := targetPoint{X: float64(width) / 2, Y: float64(height) / 2, Words: "the page"}
		if target != "" {
			if err := m.pagePositionOf(ctx, pg, &at, target); err != nil {
				return err
			}
		}
		m.actions.showActionHint("scrolls "+text.SanitizeLine(at.Words, 80), at.X, at.Y)
		req, err := mouseCommand(pane.Input{Kind: pane.Wheel, X: at.X, Y: at.Y, DX: right, DY: down})
		if err != nil {
			return err
		}
		return pg.send(ctx, pg.callLimit(), "the wheel", req)
	})
}
