package browser

import (
	"context"
	"errors"
	"sync"
)

// TextSearch finds text in the page for the user.
type TextSearch struct {
	state   *State
	prompts *Prompts
	frames  *frames

	mu   sync.Mutex // held while a search runs: another one waits
	text string
	at   int // the match that is shown, counted from 0
}

// FindResult is the position of a search: the current match, counted from 1, and the number of
// matches, at most 2,000. Both are 0 if nothing matches.
type FindResult struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// maxMatches limits the matches of a search.
const maxMatches = 2000

// Find highlights all matches of text, ignoring case, and scrolls to the match that is step
// matches after the last one: 1 is the next, -1 the previous, 0 the same. It searches frames,
// also of other sites, shadow roots, and fields except passwords; frames of other sites come
// last. An empty text ends the search. One search runs at a time; another one waits.
func (ts *TextSearch) Find(ctx context.Context, text string, step int) (FindResult, error) {
	if len(text) > 1000 {
		return FindResult{}, errors.New("finding: the text is longer than 1,000 bytes")
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var f FindResult
	err := ts.state.withPage("finding", func(pg *page) (err error) {
		ctx, cancel := ts.prompts.withoutPrompts(ctx)
		defer cancel(nil)
		if text == "" {
			ts.text = ""
			ts.clearMatches(ctx, pg)
			return nil
		}
		f, err = ts.find(ctx, pg, text, step)
		return err
	})
	return f, err
}

// frameMatches is the result of findText of page.js in a page or a frame of another site.
type frameMatches struct {
	Count  int `json:"count"`
	First  int `json:"first"`  // the first one that is not above the view
	Fields int `json:"fields"` // fields with the text that have to be opened first
}

func (ts *TextSearch) find(ctx context.Context, pg *page, text string, step int) (FindResult, error) {
	views := ts.frames.inOrder(pg)
	found := make([]frameMatches, len(views))
	total, first := 0, -1
	for i, view := range views {
		m, err := ts.findInFrame(ctx, view, text, maxMatches-total)
		if err != nil {
			if view == pg {
				return FindResult{}, err
			}
			continue // a frame that hangs has no matches
		}
		if m.Count > 0 && first < 0 {
			first = total + m.First
		}
		found[i] = m
		total += m.Count
	}
	switch {
	case total == 0:
		ts.at = -1
	case text == ts.text && ts.at >= 0:
		ts.at = ((ts.at+step)%total + total) % total
	default:
		ts.at = first
	}
	ts.text = text
	before := 0
	for i, view := range views {
		at := ts.at - before
		if ts.at < 0 || at < 0 || at >= found[i].Count {
			at = -1
		}
		before += found[i].Count
		if err := ts.showMatch(ctx, view, at); err != nil && view == pg {
			return FindResult{}, err
		}
	}
	return FindResult{ts.at + 1, total}, nil
}

// findInFrame searches a page or a frame of another site. Chromium stores the text of a field in
// a shadow root of its own, which only the protocol gives access to.
func (ts *TextSearch) findInFrame(ctx context.Context, view *page, text string, limit int) (frameMatches, error) {
	var m frameMatches
	if text != ts.text {
		_, _ = view.injectClosedRoots(ctx)
	}
	if err := view.callScript(ctx, &m, "findText", text, limit); err != nil || m.Fields == 0 {
		return m, err
	}
	_ = view.injectFieldRoots(ctx, "goalpost.listClosedFields()", "goalpost.openField(this)")
	err := view.callScript(ctx, &m, "findText", text, limit)
	return m, err
}

// showMatch highlights the matches in a page or a frame of another site, and scrolls to one of
// them; -1 scrolls to none.
func (ts *TextSearch) showMatch(ctx context.Context, view *page, at int) error {
	var box *struct {
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := view.callScript(ctx, &box, "showText", at); err != nil || box == nil {
		return err
	}
	for f := ts.frames.bySession(view.session); f != nil; f = ts.frames.bySession(f.above.session) {
		ts.frames.numberFrames(ctx, f.above)
		if err := f.above.callScript(ctx, box, "scrollToFrameBox", f.number.Load(), box); err != nil {
			return err
		}
	}
	return nil
}

// clearMatches removes the highlights.
func (ts *TextSearch) clearMatches(ctx context.Context, pg *page) {
	for _, view := range ts.frames.inOrder(pg) {
		if _, err := view.evalInScriptWorld(ctx, "goalpost.endFindText()"); err != nil {
			ts.state.m.cfg.Log.Debug("ending a search", "pane", ts.state.id, "error", err)
		}
	}
}
