package browser

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

// The rest of what an agent can do; see Click for how a target is named.

// Select chooses the options of a list by their labels or values; a list that
// takes several has only these chosen then.
func (p *Pane) Select(ctx context.Context, target string, options []string) (Acted, error) {
	return p.runAction(ctx, "choosing in "+sanitize.Line(target, 80), func(ctx context.Context, pg *page) error {
		var field field
		at, err := p.callOnTarget(ctx, pg, &field, "choose", target, options)
		if err != nil {
			return err
		}
		return p.setFieldByKeys(ctx, pg, at, field)
	})
}

// Check ticks a box, a radio button or a switch, or takes the tick away. One
// that is as wanted is left alone.
func (p *Pane) Check(ctx context.Context, target string, on bool) (Acted, error) {
	return p.runAction(ctx, "ticking "+sanitize.Line(target, 80), func(ctx context.Context, pg *page) error {
		var box struct {
			Ref     string
			Checked bool
		}
		where, err := p.callOnTarget(ctx, pg, &box, "ticked", target)
		if err != nil {
			return err
		}
		if box.Checked == on {
			p.noteDuringAction("it was so already")
			return nil
		}
		if err := p.clickOn(ctx, pg, "tick", box.Ref, mousePress{}); err != nil {
			return err
		}
		if err := where.callScript(ctx, &box, "ticked", box.Ref); err == nil && box.Checked != on {
			return errors.New("the page did not take it")
		}
		return nil
	})
}

// Hover moves the pointer onto an element and leaves it there.
func (p *Pane) Hover(ctx context.Context, target string) (Acted, error) {
	return p.runAction(ctx, "pointing at "+sanitize.Line(target, 80), func(ctx context.Context, pg *page) error {
		at, err := p.resolveTarget(ctx, pg, "point at", target)
		if err != nil {
			return err
		}
		return p.mouseTo(ctx, pg, at, 0)
	})
}

// Drag drags one element onto another with the left button. Either may be a
// point of the viewport, too: at=X,Y.
func (p *Pane) Drag(ctx context.Context, from, to string) (Acted, error) {
	return p.runAction(ctx, "dragging "+sanitize.Line(from, 80), func(ctx context.Context, pg *page) error {
		start, isPoint := parsePoint(from)
		end, endIsPoint := parsePoint(to)
		var err error
		if !isPoint {
			if start, err = p.resolveTarget(ctx, pg, "drag", from); err != nil {
				return err
			}
		}
		if !endIsPoint {
			if err := p.pagePositionOf(ctx, pg, &end, to); err != nil {
				return err
			}
		}
		return p.dragTo(ctx, pg, start, end)
	})
}

// pagePositionOf is where an element lies on the page.
func (p *Pane) pagePositionOf(ctx context.Context, pg *page, at *targetPoint, target string) error {
	where, err := p.callOnTarget(ctx, pg, at, "place", target)
	if err != nil {
		return err
	}
	return p.toPagePoint(ctx, where, at)
}

// parsePoint reads at=X,Y.
func parsePoint(target string) (targetPoint, bool) {
	x, y, found := strings.Cut(strings.TrimPrefix(target, "at="), ",")
	left, bad := strconv.Atoi(x)
	top, worse := strconv.Atoi(y)
	if !found || !strings.HasPrefix(target, "at=") || bad != nil || worse != nil {
		return targetPoint{}, false
	}
	return targetPoint{X: float64(left), Y: float64(top), Words: target}, true
}

func (p *Pane) dragTo(ctx context.Context, pg *page, start, end targetPoint) error {
	if err := p.mouseTo(ctx, pg, start, 0); err != nil {
		return err
	}
	if err := p.dispatchMouseButton(ctx, pg, pane.MouseDown, start); err != nil {
		return err
	}
	const steps = 8
	for i := 1; i <= steps; i++ {
		part := float64(i) / steps
		at := targetPoint{X: start.X + (end.X-start.X)*part, Y: start.Y + (end.Y-start.Y)*part}
		if err := p.mouseTo(ctx, pg, at, 1); err != nil {
			return err
		}
	}
	p.showActionHint("drops on "+sanitize.Line(end.Words, 80), end.X, end.Y)
	return p.dispatchMouseButton(ctx, pg, pane.MouseUp, end)
}

// mouseTo moves the pointer and waits until the page knows.
func (p *Pane) mouseTo(ctx context.Context, pg *page, at targetPoint, held int) error {
	in := pane.Input{Kind: pane.MouseMove, X: at.X, Y: at.Y, Buttons: held}
	for _, d := range p.dragging(in) {
		if err := pg.do(ctx, callLimit, "the mouse", func(c proto.Client) error { return cdp.CallNoResult(c, d) }); err != nil {
			return err
		}
	}
	req, err := mouseCommand(in)
	if err != nil {
		return err
	}
	return pg.do(ctx, callLimit, "the mouse", func(c proto.Client) error { return cdp.CallNoResult(c, req) })
}

func (p *Pane) dispatchMouseButton(ctx context.Context, pg *page, kind pane.InputKind, at targetPoint) error {
	in := pane.Input{Kind: kind, X: at.X, Y: at.Y, Button: "left", Clicks: 1}
	if kind == pane.MouseDown {
		in.Buttons = 1
	}
	req, err := mouseCommand(in)
	if err != nil {
		return err
	}
	return pg.do(ctx, callLimit, "the mouse", func(c proto.Client) error {
		for _, d := range p.dragging(in) {
			if err := cdp.CallNoResult(c, d); err != nil {
				return err
			}
		}
		return cdp.CallNoResult(c, req)
	})
}

// ScrollTo brings an element into view.
func (p *Pane) ScrollTo(ctx context.Context, target string) (Acted, error) {
	return p.runAction(ctx, "scrolling to "+sanitize.Line(target, 80), func(ctx context.Context, pg *page) error {
		var at targetPoint
		if err := p.pagePositionOf(ctx, pg, &at, target); err != nil {
			return err
		}
		p.showActionHint("scrolls to "+sanitize.Line(at.Words, 80), at.X, at.Y)
		return nil
	})
}

// Scroll turns the wheel over an element, or over the middle of the page if
// target is "", by CSS pixels.
func (p *Pane) Scroll(ctx context.Context, target string, right, down float64) (Acted, error) {
	return p.runAction(ctx, "scrolling", func(ctx context.Context, pg *page) error {
		p.mu.Lock()
		at := targetPoint{X: float64(p.width) / 2, Y: float64(p.height) / 2, Words: "the page"}
		p.mu.Unlock()
		if target != "" {
			if err := p.pagePositionOf(ctx, pg, &at, target); err != nil {
				return err
			}
		}
		p.showActionHint("scrolls "+sanitize.Line(at.Words, 80), at.X, at.Y)
		req, err := mouseCommand(pane.Input{Kind: pane.Wheel, X: at.X, Y: at.Y, DX: right, DY: down})
		if err != nil {
			return err
		}
		return pg.do(ctx, callLimit, "the wheel", func(c proto.Client) error { return cdp.CallNoResult(c, req) })
	})
}

// Condition is what Wait waits for.
type Condition = pane.WaitCondition

// Wait waits until the page is as wanted, or fails with ErrTimeout. A user who
// takes over ends the wait.
func (p *Pane) Wait(ctx context.Context, want Condition, limit time.Duration) (Acted, error) {
	if want == (Condition{}) {
		return Acted{}, errors.New("waiting: for what? name a text, a text that goes, or an address")
	}
	acted, err := p.waitFor(ctx, want, limit)
	if errors.Is(err, ErrTimeout) {
		return acted, fmt.Errorf("it has not come to that within %s (%w): look what the page shows now", goal.FormatDuration(limit), ErrTimeout)
	}
	return acted, err
}

func (p *Pane) waitFor(ctx context.Context, want Condition, limit time.Duration) (Acted, error) {
	return p.runAction(ctx, "waiting", func(ctx context.Context, pg *page) error {
		p.showActionHint("waits", 0, 0)
		ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
		defer cancel()
		for {
			if err := p.wait(ctx, func() bool { return strings.Contains(p.info.URL, want.URL) && p.load.done() }); err != nil {
				return err
			}
			held, err := p.conditionMet(ctx, pg, want)
			p.mu.Lock()
			held = held && strings.Contains(p.info.URL, want.URL)
			moved := p.changed
			p.mu.Unlock()
			switch {
			case ctx.Err() != nil:
				return cdp.Cause(ctx)
			case err == nil && held:
				return nil
			case isInvalidTarget(err):
				return err
			case pg.alive.Err() != nil:
				return fmt.Errorf("waiting: %w", context.Cause(pg.alive)) //nolint:contextcheck // why the page is gone
			}
			// The document went while it was asked, or did not come to it within a
			// few seconds: the next change, or a moment, is the time to ask again.
			select {
			case <-moved:
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
}

// conditionMet asks whether the page says and shows what is wanted; it waits a few seconds
// for it. What stands in frames of other sites counts.
func (p *Pane) conditionMet(ctx context.Context, pg *page, want Condition) (bool, error) {
	_, _ = pg.injectClosedRoots(ctx)
	views := p.framesInOrder(pg)
	patience := 4000
	if len(views) > 1 {
		patience = 300 // and then the frames are asked
	}
	held := false
	if err := pg.callScript(ctx, &held, "until", want.Text, want.Gone, want.Target, patience); err != nil || held || len(views) == 1 {
		return held, err
	}
	// Together: what one shows another need not.
	state := func(text, gone, target string) (some, all bool) {
		all = true
		for _, view := range views {
			one := false
			err := view.callScript(ctx, &one, "until", text, gone, target, 0)
			some, all = some || err == nil && one, all && err == nil && one
		}
		return some, all
	}
	held = true
	if want.Text != "" {
		some, _ := state(want.Text, "", "")
		held = held && some
	}
	if want.Gone != "" {
		_, all := state("", want.Gone, "")
		held = held && all
	}
	if want.Target != "" {
		some, _ := state("", "", want.Target)
		held = held && some
	}
	return held, nil
}

// isInvalidTarget says that a target is no target, which no waiting alters.
func isInvalidTarget(err error) bool {
	var m *notFoundError
	return errors.As(err, &m) && m.code == "bad"
}

// Eval runs script in the page's own world and gives its value as JSON, at most
// 16 KB of it. What a page's world says is hostile.
func (p *Pane) Eval(ctx context.Context, script string) (string, error) {
	var out string
	err := p.withTurn(ctx, "running a script", func(ctx context.Context, pg *page) error {
		raw, err := evaluate(ctx, pg, 0, script)
		if err != nil {
			return err
		}
		if out, err = unescapeJSON(raw); err != nil {
			return err
		}
		if len(out) > 16<<10 {
			out = strings.ToValidUTF8(out[:16<<10], "") + "…"
		}
		return nil
	})
	return out, err
}
