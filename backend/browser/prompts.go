package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// errPromptOpen cuts off what waits for a page that has itself begun to wait for an answer.
var errPromptOpen = cdp.NewCause("the page asks something and waits for the answer")

// openPrompt is a question with what its answer does.
type openPrompt struct {
	pane.UserPrompt
	stops   bool             // the page, or its loading, stands still until the answer
	events  *[]int           // of Chromium that the answer settles, where there may be several
	waiting *[]authChallenge // requests that it settles
	answer  func(context.Context, pane.Answer) error
}

// defaultAnswer is how a question is answered when nobody answers it.
func (a openPrompt) defaultAnswer() pane.Answer {
	return pane.Answer{ID: a.ID, Yes: a.Kind == pane.Alert || a.Kind == pane.BeforeUnload, Index: -1}
}

// openPrompt puts a question to whoever drives the pane. The answer function is called
// once, on the goroutine that answers. A question that stops the page cuts off
// every call that waits for the page.
func (p *Pane) openPrompt(a openPrompt) {
	if p.scriptless { // there is nobody to ask
		p.m.runAsync(p, func(ctx context.Context) error { return a.answer(ctx, a.defaultAnswer()) })
		return
	}
	p.change(func() {
		if a.Options == nil {
			a.Options = []pane.Option{}
		}
		questions := slices.Clone(p.prompts)
		// Suggestions change with every letter: the list stays the same question, which is answered as long as it is seen.
		if i := slices.IndexFunc(questions, matchKinds(pane.Autocomplete)); i >= 0 && a.Kind == pane.Autocomplete {
			a.ID = questions[i].ID
			questions[i] = a
		} else {
			p.promptCount++
			a.ID = p.promptCount
			questions = append(questions, a)
		}
		p.prompts = questions
		if a.stops {
			p.cancelNoPrompt(errPromptOpen)
		}
		p.updateOverlay()
	})
}

// closePrompts takes questions back that nobody needs to answer any more.
func (p *Pane) closePrompts(which func(openPrompt) bool) {
	p.change(func() { p.closePromptsLocked(which) })
}

// closePromptsLocked is withdraw with mu held.
func (p *Pane) closePromptsLocked(which func(openPrompt) bool) {
	kept := slices.DeleteFunc(slices.Clone(p.prompts), which)
	if len(kept) == len(p.prompts) {
		return
	}
	p.prompts = kept
	if p.noPromptCtx.Err() != nil && !slices.ContainsFunc(kept, func(a openPrompt) bool { return a.stops }) {
		p.noPromptCtx, p.cancelNoPrompt = context.WithCancelCause(context.Background())
	}
	p.updateOverlay()
}

// matchKinds fits questions of some kinds.
func matchKinds(kinds ...pane.UserPromptKind) func(openPrompt) bool {
	return func(a openPrompt) bool { return slices.Contains(kinds, a.Kind) }
}

// Answer answers a question of the pane; one that is no longer open is an error.
func (p *Pane) Answer(ctx context.Context, a pane.Answer) error {
	if err := p.checkDriver(ctx); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	q, err := p.takePrompt(func(q openPrompt) bool { return q.ID == a.ID })
	if err != nil {
		return err
	}
	if err := q.answer(ctx, a); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// takePrompt takes the oldest question that fits.
func (p *Pane) takePrompt(which func(openPrompt) bool) (openPrompt, error) {
	var found openPrompt
	p.change(func() {
		i := slices.IndexFunc(p.prompts, which)
		if i < 0 {
			return
		}
		found = p.prompts[i]
		p.answered = time.Now()
		p.closePromptsLocked(func(a openPrompt) bool { return a.ID == found.ID })
	})
	if found.answer == nil {
		return found, errors.New("this question is no longer open")
	}
	return found, nil
}

// blockingPrompt is the oldest question that stops the page.
func (p *Pane) blockingPrompt() (openPrompt, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.prompts, func(a openPrompt) bool { return a.stops })
	if i < 0 {
		return openPrompt{}, false
	}
	return p.prompts[i], true
}

// withoutPrompts gives a context that also ends, with errPromptOpen, when the page
// begins to wait for an answer. cancel must be called.
func (p *Pane) withoutPrompts(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.mu.Lock()
	calm := p.noPromptCtx
	p.mu.Unlock()
	return cdp.JoinContexts(ctx, calm)
}

// updateOverlay makes the overlay again; mu is held.
func (p *Pane) updateOverlay() {
	o := pane.Overlay{Cursor: p.cursor, Zoom: p.zoom, Copied: p.copied, Questions: []pane.UserPrompt{}, Downloads: slices.Clone(p.downloads)}
	if o.Downloads == nil {
		o.Downloads = []pane.Download{}
	}
	for _, a := range p.prompts {
		o.Questions = append(o.Questions, a.UserPrompt)
	}
	p.overlay = o
	p.overlayRev++
}
