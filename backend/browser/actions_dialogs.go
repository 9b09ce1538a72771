package browser

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/pane"
)

// Dialog answers the oldest alert, confirm or prompt that the page waits for, on behalf of the
// agent; text is for a prompt. It fails if there is none. It refuses prompts that need more than
// an approval: see AcceptCertificate and SignIn. If the agent acts without answering, the prompt
// is dismissed.
func (ac *actions) Dialog(ctx context.Context, yes bool, text string) (Acted, error) {
	q, open := ac.prompts.blockingPrompt()
	if !open {
		return Acted{}, errors.New("answering a dialog: the page asks nothing")
	}
	if yes && (q.Kind == pane.Certificate || q.Kind == pane.Login) {
		return Acted{}, fmt.Errorf("answering a dialog: %s of %s needs more than an OK", q.Kind, q.Origin)
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: yes, Text: text})
}

// AcceptCertificate continues to a server that cannot prove its identity, if the page asks for
// exactly this origin.
func (ac *actions) AcceptCertificate(ctx context.Context, origin string) (Acted, error) {
	q, err := ac.prompts.ofKind(pane.Certificate, origin)
	if err != nil {
		return Acted{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true})
}

// SignIn gives a name and a password to the server of exactly this origin, if it asks for them.
// No other server gets them.
func (ac *actions) SignIn(ctx context.Context, origin, user, password string) (Acted, error) {
	q, err := ac.prompts.ofKind(pane.Login, origin)
	if err != nil {
		return Acted{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true, User: user, Password: password})
}

// answerForAgent answers exactly this prompt on behalf of the agent.
func (ac *actions) answerForAgent(ctx context.Context, q openPrompt, a pane.Answer) (Acted, error) {
	a.ID = q.ID
	return ac.runDuringDialog(ctx, "answering "+string(q.Kind), func(ctx context.Context, _ *page) error {
		q, err := ac.prompts.take(func(a openPrompt) bool { return a.ID == q.ID })
		if err != nil {
			return err
		}
		return q.answer(ctx, a)
	})
}
