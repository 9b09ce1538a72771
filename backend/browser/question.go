package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/pane"
)

// errAsked cuts off what waits for a page that has itself begun to wait for an answer.
var errAsked = errors.New("the page asks something and waits for the answer")

// asked is a question with what its answer does.
type asked struct {
	pane.UserPrompt
	stops   bool         // the page, or its loading, stands still until the answer
	events  *[]int       // of Chromium that the answer settles, where there may be several
	waiting *[]challenge // requests that it settles
	answer  func(context.Context, pane.Answer) error
}

// dismissal is how a question is answered when nobody answers it.
func (a asked) dismissal() pane.Answer {
	return pane.Answer{ID: a.ID, Yes: a.Kind == pane.Alert || a.Kind == pane.BeforeUnload, Index: -1}
}

// pose puts a question to whoever drives the pane. The answer function is called
// once, on the goroutine that answers. A question that stops the page cuts off
// every call that waits for the page.
func (p *Pane) pose(a asked) {
	if p.bare { // there is nobody to ask
		p.m.later(p, func(ctx context.Context) error { return a.answer(ctx, a.dismissal()) })
		return
	}
	p.change(func() {
		if a.Options == nil {
			a.Options = []pane.Option{}
		}
		questions := slices.Clone(p.questions)
		// Suggestions change with every letter: the list stays the same question, which is answered as long as it is seen.
		if i := slices.IndexFunc(questions, ofKind(pane.Autocomplete)); i >= 0 && a.Kind == pane.Autocomplete {
			a.ID = questions[i].ID
			questions[i] = a
		} else {
			p.asks++
			a.ID = p.asks
			questions = append(questions, a)
		}
		p.questions = questions
		if a.stops {
			p.disturb(errAsked)
		}
		p.redraw()
	})
}

// withdraw takes questions back that nobody needs to answer any more.
func (p *Pane) withdraw(which func(asked) bool) {
	p.change(func() { p.withdrawn(which) })
}

// withdrawn is withdraw with mu held.
func (p *Pane) withdrawn(which func(asked) bool) {
	kept := slices.DeleteFunc(slices.Clone(p.questions), which)
	if len(kept) == len(p.questions) {
		return
	}
	p.questions = kept
	if p.calm.Err() != nil && !slices.ContainsFunc(kept, func(a asked) bool { return a.stops }) {
		p.calm, p.disturb = context.WithCancelCause(context.Background())
	}
	p.redraw()
}

// ofKind fits questions of some kinds.
func ofKind(kinds ...pane.UserPromptKind) func(asked) bool {
	return func(a asked) bool { return slices.Contains(kinds, a.Kind) }
}

// Answer answers a question of the pane; one that is no longer open is an error.
func (p *Pane) Answer(ctx context.Context, a pane.Answer) error {
	if err := p.mayDrive(ctx); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	q, err := p.taken(func(q asked) bool { return q.ID == a.ID })
	if err != nil {
		return err
	}
	if err := q.answer(ctx, a); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// taken takes the oldest question that fits.
func (p *Pane) taken(which func(asked) bool) (asked, error) {
	var found asked
	p.change(func() {
		i := slices.IndexFunc(p.questions, which)
		if i < 0 {
			return
		}
		found = p.questions[i]
		p.answered = time.Now()
		p.withdrawn(func(a asked) bool { return a.ID == found.ID })
	})
	if found.answer == nil {
		return found, errors.New("this question is no longer open")
	}
	return found, nil
}

// waiting is the oldest question that stops the page.
func (p *Pane) waiting() (asked, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.questions, func(a asked) bool { return a.stops })
	if i < 0 {
		return asked{}, false
	}
	return p.questions[i], true
}

// undisturbed gives a context that also ends, with errAsked, when the page
// begins to wait for an answer. cancel must be called.
func (p *Pane) undisturbed(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.mu.Lock()
	calm := p.calm
	p.mu.Unlock()
	return tie(ctx, calm)
}

// redraw makes the overlay anew; mu is held.
func (p *Pane) redraw() {
	o := pane.Overlay{Cursor: p.cursor, Zoom: p.zoom, Copied: p.copied, Questions: []pane.UserPrompt{}, Downloads: slices.Clone(p.downloads)}
	if o.Downloads == nil {
		o.Downloads = []pane.Download{}
	}
	for _, a := range p.questions {
		o.Questions = append(o.Questions, a.UserPrompt)
	}
	p.overlay = o
	p.overRev++
}
