package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// errStopped and errElsewhere say why a voyage was given up: somebody pressed
// Stop, or wants to go elsewhere.
var (
	errStopped   = errors.New("loading was stopped")
	errElsewhere = errors.New("somebody went elsewhere meanwhile")
)

// voyage is a way to another document, from the moment at which somebody wants
// it. A pane has at most one: the next gives up the one before it, and Stop does
// so too, also when Chromium has not heard of it yet.
type voyage struct {
	address string // "" for back, forward and reload
	begun   bool   // Chromium has told that it loads; guarded by the pane's mu
	end     context.CancelCauseFunc
	over    chan struct{} // closed when nothing more of it reaches Chromium
}

// embark begins a voyage and gives its context; arrive must be called.
func (p *Pane) embark(ctx context.Context, address string) (context.Context, *voyage) {
	ctx, end := context.WithCancelCause(ctx)
	v := &voyage{address: address, end: end, over: make(chan struct{})}
	var last *voyage
	p.change(func() {
		last, p.voyage = p.voyage, v
		if address != "" && originOf(address) != p.trusted.origin {
			p.trusted = unproven{}
		}
	})
	last.giveUp(ctx, errElsewhere)
	return ctx, v
}

// arrive ends the voyage, wherever it led to.
func (p *Pane) arrive(v *voyage) {
	p.change(func() {
		if p.voyage == v {
			p.voyage = nil
		}
	})
	close(v.over)
	v.end(nil)
}

// giveUp ends a voyage, if there is one, and waits until it sends nothing more:
// else its order to stop could meet the voyage after it.
func (v *voyage) giveUp(ctx context.Context, why error) {
	if v == nil {
		return
	}
	v.end(why)
	select {
	case <-v.over:
	case <-ctx.Done():
	}
}

// strayed is what the end of a voyage means to whoever began it: a person who
// gave it up knows that, an agent must be told.
func (p *Pane) strayed(ctx context.Context, err error) error {
	if (errors.Is(err, errStopped) || errors.Is(err, errElsewhere)) && !p.byAgent(ctx) {
		return nil
	}
	return err
}

// Stop ends loading, also what Chromium has not begun yet, and what keeps the
// page from answering. Whether to leave the page is answered with no.
func (p *Pane) Stop(ctx context.Context) error {
	if q, err := p.taken(func(a asked) bool { return a.Kind == pane.BeforeUnload }); err == nil {
		if err := q.answer(ctx, pane.Answer{ID: q.ID}); err != nil {
			p.m.cfg.Log.Debug("staying", "pane", p.id, "error", err)
		}
	}
	var v *voyage
	p.change(func() { v, p.woe = p.voyage, "" })
	v.giveUp(ctx, errStopped)
	ctx, cancel := p.begin(ctx)
	defer cancel(nil)
	pg, err := p.current()
	if err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	return pg.do(ctx, callLimit, "stopping", func(c proto.Client) error { return tell(c, proto.PageStopLoading{}) })
}
