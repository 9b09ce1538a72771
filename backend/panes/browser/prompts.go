package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Prompts holds the open prompts of the page, and some answers that later prompts depend on. The state's
// mutex guards its fields, because open prompts decide what else may happen.
type Prompts struct {
	state    *State
	activity *Activity

	open           []openPrompt
	count          int             // counts prompts
	dialogs        int             // counts dialogs
	dialogsInARow  int             // dialogs since the user or the agent last acted
	noPromptCtx    context.Context // ends with errPromptOpen while the page waits for an answer
	cancelNoPrompt context.CancelCauseFunc
	lastAnswer     time.Time            // when a prompt was last answered
	declinedRealms []authRealm          // for which the user declined to log in, until the next document
	certException  certificateException // that the user approved
	menu           promptPlace          // where the user opened the context menu last
}

// errPromptOpen ends calls that wait for a page which has begun to wait for an answer.
var errPromptOpen = cdp.NewCause("the page opened a prompt and waits for the answer")

// openPrompt is a prompt with the function that answers it.
type openPrompt struct {
	pane.UserPrompt
	blocksPage bool             // the page, or its loading, waits for the answer
	events     *[]int           // events of Chromium that the answer settles, if there may be several
	waiting    *[]authChallenge // requests that the answer settles
	answer     func(context.Context, pane.Answer) error
}

// defaultAnswer returns the answer to a prompt that the driver leaves open.
func (o openPrompt) defaultAnswer() pane.Answer {
	return pane.Answer{ID: o.ID, Yes: o.Kind == pane.Alert || o.Kind == pane.BeforeUnload, Index: -1}
}

// add shows a prompt to the driver of the pane. The answer function is called once, on the
// goroutine that answers. A prompt that stops the page ends every call that waits for the page.
func (p *Prompts) add(a openPrompt) {
	if p.state.scriptless { // without a user or an agent
		p.state.runAsync(func(ctx context.Context) error { return a.answer(ctx, a.defaultAnswer()) })
		return
	}
	p.state.change(func() {
		if a.Options == nil {
			a.Options = []pane.Option{}
		}
		questions := slices.Clone(p.open)
		// Suggestions change with every letter: the list remains the same prompt, which can be answered
		// as long as it is visible.
		if i := slices.IndexFunc(questions, matchKinds(pane.Autocomplete)); i >= 0 && a.Kind == pane.Autocomplete {
			a.ID = questions[i].ID
			questions[i] = a
		} else {
			p.count++
			a.ID = p.count
			questions = append(questions, a)
		}
		p.open = questions
		if a.blocksPage {
			p.cancelNoPrompt(errPromptOpen)
		}
		p.updateOverlay()
	})
}

// close withdraws prompts that need no answer any more.
func (p *Prompts) close(which func(openPrompt) bool) {
	p.state.change(func() { p.closeLocked(which) })
}

// closeLocked is close for a caller that holds the state's mutex.
func (p *Prompts) closeLocked(which func(openPrompt) bool) {
	open := slices.DeleteFunc(slices.Clone(p.open), which)
	if len(open) == len(p.open) {
		return
	}
	p.open = open
	if p.noPromptCtx.Err() != nil && !slices.ContainsFunc(open, func(a openPrompt) bool { return a.blocksPage }) {
		p.noPromptCtx, p.cancelNoPrompt = context.WithCancelCause(context.Background())
	}
	p.updateOverlay()
}

// matchKinds returns a function that matches prompts of these kinds.
func matchKinds(kinds ...pane.UserPromptKind) func(openPrompt) bool {
	return func(a openPrompt) bool { return slices.Contains(kinds, a.Kind) }
}

// take removes and returns the oldest prompt that matches.
func (p *Prompts) take(which func(openPrompt) bool) (openPrompt, error) {
	var found openPrompt
	p.state.change(func() {
		i := slices.IndexFunc(p.open, which)
		if i < 0 {
			return
		}
		found = p.open[i]
		p.lastAnswer = time.Now()
		p.closeLocked(func(a openPrompt) bool { return a.ID == found.ID })
	})
	if found.answer == nil {
		return found, errors.New("this prompt is no longer open")
	}
	return found, nil
}

// blockingPrompt returns the oldest prompt that stops the page.
func (p *Prompts) blockingPrompt() (openPrompt, bool) {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	i := slices.IndexFunc(p.open, func(a openPrompt) bool { return a.blocksPage })
	if i < 0 {
		return openPrompt{}, false
	}
	return p.open[i], true
}

// withoutPrompts returns a context that also ends, with errPromptOpen, when the page begins to
// wait for an answer. The caller must call cancel.
func (p *Prompts) withoutPrompts(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	p.state.mu.Lock()
	noPrompts := p.noPromptCtx
	p.state.mu.Unlock()
	return cdp.JoinContexts(ctx, noPrompts)
}

// updateOverlay shows the open prompts to the viewers. The caller holds the state's mutex.
func (p *Prompts) updateOverlay() {
	questions := []pane.UserPrompt{}
	for _, a := range p.open {
		questions = append(questions, a.UserPrompt)
	}
	p.state.updateOverlay(func(o *pane.Overlay) { o.Questions = questions })
}

// Answer answers a prompt of the pane. It fails if the prompt is no longer open.
func (p *Pane) Answer(ctx context.Context, a pane.Answer) error {
	if err := p.Driver.checkDriver(ctx); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	q, err := p.Prompts.take(func(q openPrompt) bool { return q.ID == a.ID })
	if err != nil {
		return err
	}
	if err := q.answer(ctx, a); err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}
