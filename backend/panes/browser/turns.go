package browser

import (
	"context"
	"fmt"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// turns runs the agent's calls one after the other, while it has the pane.
type turns struct {
	state   *State
	driver  *Driver
	prompts *Prompts
	popup   *popup

	use       func() (end func())         // keeps the page drawn
	wake      func(context.Context) error // loads a page that sleeps
	agentTurn chan struct{}               // one token: for a call of the agent
}

// withTurn runs one action of the agent, when the previous one is done.
func (t *turns) withTurn(ctx context.Context, what string, f func(context.Context, *page) error) error {
	return t.withDialogTurn(ctx, what, func(ctx context.Context, pg *page) error {
		t.prompts.dismissDialog(ctx)
		ctx, cancel := t.prompts.withoutPrompts(ctx)
		defer cancel(nil)
		return f(ctx, pg)
	})
}

// withReadTurn is withTurn for a call that changes nothing. It fails if a prompt is open: the
// page cannot be read then, and answering would be an action.
func (t *turns) withReadTurn(ctx context.Context, what string, f func(context.Context, *page) error) error {
	return t.withDialogTurn(ctx, what, func(ctx context.Context, pg *page) error {
		switch q, _ := t.prompts.blockingPrompt(); q.Kind {
		case pane.Alert, pane.Confirm, pane.Prompt, pane.BeforeUnload:
			return fmt.Errorf("the page is blocked until its %s %q is answered: answer it first", q.Kind,
				text.SanitizeLine(q.Text, 300))
		default:
		}
		ctx, cancel := t.prompts.withoutPrompts(ctx)
		defer cancel(nil)
		return f(ctx, pg)
	})
}

// withDialogTurn is withTurn that leaves open prompts open.
func (t *turns) withDialogTurn(ctx context.Context, what string, f func(context.Context, *page) error) error {
	select {
	case t.agentTurn <- struct{}{}:
		defer func() { <-t.agentTurn }()
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, cdp.Cause(ctx))
	case <-t.state.ctx.Done():
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	defer t.use()()
	ctx, endLease := t.driver.withLease(ctx)
	defer endLease(nil)
	if err := cdp.Cause(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := t.wake(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	t.popup.awaitFirstDocument(ctx)
	pg, err := t.state.currentPage()
	if err == nil {
		err = f(ctx, pg)
	}
	if err != nil {
		t.state.markHung(err)
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
