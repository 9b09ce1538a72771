package browser

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/domain/pane"
)

// Dialog answers the oldest alert, confirm or prompt that the page waits for, on behalf of the
// agent; text is for a prompt. It fails if none is open. It refuses prompts that need more than an
// approval: see AcceptCertificate and SignIn. If the agent acts without answering, the prompt is
// dismissed.
func (ac *Actions) Dialog(ctx context.Context, yes bool, text string) (ActionResult, error) {
	q, open := ac.prompts.blockingPrompt()
	if !open {
		return ActionResult{}, errors.New("answering a dialog: no dialog is open")
	}
	if yes && (q.Kind == pane.Certificate || q.Kind == pane.Login) {
		return ActionResult{}, fmt.Errorf("answering a dialog: the %s prompt of %s needs more than an OK", q.Kind, q.Origin)
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: yes, Text: text})
}

// AcceptCertificate continues to a server that cannot prove its identity, if the page asks for
// exactly this origin.
func (ac *Actions) AcceptCertificate(ctx context.Context, origin string) (ActionResult, error) {
	q, err := ac.prompts.ofKind(pane.Certificate, origin)
	if err != nil {
		return ActionResult{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true})
}

// SignIn gives a name and a password to the server of exactly this origin, if it asks for them.
// No other server gets them.
func (ac *Actions) SignIn(ctx context.Context, origin, user, password string) (ActionResult, error) {
	q, err := ac.prompts.ofKind(pane.Login, origin)
	if err != nil {
		return ActionResult{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true, User: user, Password: password})
}

// answerForAgent answers exactly this prompt on behalf of the agent.
func (ac *Actions) answerForAgent(ctx context.Context, q openPrompt, a pane.Answer) (ActionResult, error) {
	a.ID = q.ID
	return ac.runDuringDialog(ctx, "answering "+string(q.Kind), func(ctx context.Context, _ *page) error {
		q, err := ac.prompts.take(func(a openPrompt) bool { return a.ID == q.ID })
		if err != nil {
			return err
		}
		return q.answer(ctx, a)
	})
}
