package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/browser/internal/script"
)

// FindResult is where a search in the page stands: the match that is shown, counted
// from 1, of at most 2,000. Both are 0 when nothing matches.
type FindResult struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// maxMatches is how many places are counted.
const maxMatches = 2000

// Find marks all places of the page that say text, whatever the case, and
// scrolls to the match that is step places after the last one: 1 is the next, -1
// the one before, 0 the same. Frames, of other sites too, shadow roots and what
// is in fields, passwords excepted, are looked into; the frames of other sites
// come last. No text ends the search. One search at a time; another waits.
func (p *Pane) Find(ctx context.Context, text string, step int) (FindResult, error) {
	if len(text) > 1000 {
		return FindResult{}, errors.New("finding: the text is longer than 1,000 bytes")
	}
	p.search.mu.Lock()
	defer p.search.mu.Unlock()
	var f FindResult
	err := p.withPage("finding", func(pg *page) (err error) {
		ctx, cancel := p.withoutPrompts(ctx)
		defer cancel(nil)
		if text == "" {
			p.search.text = ""
			p.clearMatches(ctx, pg)
			return nil
		}
		f, err = p.find(ctx, pg, text, step)
		return err
	})
	return f, err
}

// searchState is the search of a pane.
type searchState struct {
	mu   sync.Mutex
	text string
	at   int // the match that is shown, counted from 0
}

// frameMatches are what findText of findtext.js found in a page or a part.
type frameMatches struct {
	Count  int `json:"count"`
	First  int `json:"first"`  // the one to begin with
	Fields int `json:"fields"` // that hold the text and have to be opened first
}

func (p *Pane) find(ctx context.Context, pg *page, text string, step int) (FindResult, error) {
	views := p.framesInOrder(pg)
	found := make([]frameMatches, len(views))
	total, first := 0, -1
	for i, view := range views {
		m, err := p.findInFrame(ctx, view, text, maxMatches-total)
		if err != nil {
			if view == pg {
				return FindResult{}, err
			}
			continue // a frame that hangs has nothing to be found
		}
		if m.Count > 0 && first < 0 {
			first = total + m.First
		}
		found[i] = m
		total += m.Count
	}
	s := &p.search
	switch {
	case total == 0:
		s.at = -1
	case text == s.text && s.at >= 0:
		s.at = ((s.at+step)%total + total) % total
	default:
		s.at = first
	}
	s.text = text
	before := 0
	for i, view := range views {
		at := s.at - before
		if s.at < 0 || at < 0 || at >= found[i].Count {
			at = -1
		}
		before += found[i].Count
		if err := p.showMatch(ctx, view, at); err != nil && view == pg {
			return FindResult{}, err
		}
	}
	return FindResult{s.at + 1, total}, nil
}

// findInFrame searches a page or a part. Chromium keeps what is in a field in a
// shadow root of its own, which only the protocol tells of.
func (p *Pane) findInFrame(ctx context.Context, view *page, text string, most int) (frameMatches, error) {
	var m frameMatches
	if _, err := view.evalInScriptWorld(ctx, "globalThis.goalpost.sought ? 1 : ("+wrapExpression(script.FindText)+", 1)"); err != nil {
		return m, err
	}
	if text != p.search.text {
		_, _ = view.injectClosedRoots(ctx)
	}
	if err := view.callScript(ctx, &m, "findText", text, most); err != nil || m.Fields == 0 {
		return m, err
	}
	_ = view.injectFieldRoots(ctx, "goalpost.sought.closed()", "goalpost.sought.open(this)")
	err := view.callScript(ctx, &m, "findText", text, most)
	return m, err
}

// wrapExpression makes an expression of a script.
func wrapExpression(script string) string { return "(() => {" + script + "\n})()" }

// showMatch marks what was found in a page or a part, and brings one match into
// view; -1 is none.
func (p *Pane) showMatch(ctx context.Context, view *page, at int) error {
	var box *struct {
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := view.callScript(ctx, &box, "showText", at); err != nil || box == nil {
		return err
	}
	for f := p.frameBySession(view.session); f != nil; f = p.frameBySession(f.above.session) {
		p.numberFrames(ctx, f.above)
		if err := f.above.callScript(ctx, box, "bringText", f.number.Load(), box); err != nil {
			return err
		}
	}
	return nil
}

// clearMatches takes the marks of a search away.
func (p *Pane) clearMatches(ctx context.Context, pg *page) {
	for _, view := range p.framesInOrder(pg) {
		if _, err := view.evalInScriptWorld(ctx, "globalThis.goalpost.sought ? (goalpost.sought.end(), 1) : 1"); err != nil {
			p.m.cfg.Log.Debug("ending a search", "pane", p.id, "error", err)
		}
	}
}

func (p *Pane) withPage(what string, f func(*page) error) error {
	pg, err := p.currentPage()
	if err == nil {
		err = f(pg)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
