package browser

import (
	"context"
	"errors"
	"sync"
)

// textSearch finds text in the page for the user.
type textSearch struct {
	state   *state
	prompts *prompts
	frames  *frames

	mu   sync.Mutex // held while a search runs: another waits
	text string
	at   int // the match that is shown, counted from 0
}

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
func (ts *textSearch) Find(ctx context.Context, text string, step int) (FindResult, error) {
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

// frameMatches are what findText of snapshot.js found in a page or a part.
type frameMatches struct {
	Count  int `json:"count"`
	First  int `json:"first"`  // the one to begin with
	Fields int `json:"fields"` // that hold the text and have to be opened first
}

func (ts *textSearch) find(ctx context.Context, pg *page, text string, step int) (FindResult, error) {
	views := ts.frames.inOrder(pg)
	found := make([]frameMatches, len(views))
	total, first := 0, -1
	for i, view := range views {
		m, err := ts.findInFrame(ctx, view, text, maxMatches-total)
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

// findInFrame searches a page or a part. Chromium keeps what is in a field in a
// shadow root of its own, which only the protocol tells of.
func (ts *textSearch) findInFrame(ctx context.Context, view *page, text string, most int) (frameMatches, error) {
	var m frameMatches
	if text != ts.text {
		_, _ = view.injectClosedRoots(ctx)
	}
	if err := view.callScript(ctx, &m, "findText", text, most); err != nil || m.Fields == 0 {
		return m, err
	}
	_ = view.injectFieldRoots(ctx, "goalpost.listClosedFields()", "goalpost.openField(this)")
	err := view.callScript(ctx, &m, "findText", text, most)
	return m, err
}

// showMatch marks what was found in a page or a part, and brings one match into
// view; -1 is none.
func (ts *textSearch) showMatch(ctx context.Context, view *page, at int) error {
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
		if err := f.above.callScript(ctx, box, "bringText", f.number.Load(), box); err != nil {
			return err
		}
	}
	return nil
}

// clearMatches takes the marks of a search away.
func (ts *textSearch) clearMatches(ctx context.Context, pg *page) {
	for _, view := range ts.frames.inOrder(pg) {
		if _, err := view.evalInScriptWorld(ctx, "goalpost.endFindText()"); err != nil {
			ts.state.m.cfg.Log.Debug("ending a search", "pane", ts.state.id, "error", err)
		}
	}
}
