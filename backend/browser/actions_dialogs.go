package browser

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/pane"
)

// Dialog answers, for the agent, the oldest question that the page waits for: an
// alert, a confirm or a prompt, with text for the latter. Without one it is an
// error. What needs more than an approval is refused: see Trust and SignIn. An agent
// that acts without answering dismisses the question.
func (ac *actions) Dialog(ctx context.Context, yes bool, text string) (Acted, error) {
	q, open := ac.prompts.blockingPrompt()
	if !open {
		return Acted{}, errors.New("answering a dialog: the page asks nothing")
	}
	if yes && (q.Kind == pane.Certificate || q.Kind == pane.Login) {
		return Acted{}, fmt.Errorf("answering a dialog: %s of %s takes more than a yes", q.Kind, q.Origin)
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: yes, Text: text})
}

// AcceptCertificate continues to a server of exactly this origin, of which the page asks, though
// it cannot prove who it is.
func (ac *actions) AcceptCertificate(ctx context.Context, origin string) (Acted, error) {
	q, err := ac.prompts.ofKind(pane.Certificate, origin)
	if err != nil {
		return Acted{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true})
}

// SignIn gives a server of exactly this origin, which asks for it, a name and a
// password. They are told to nobody else.
func (ac *actions) SignIn(ctx context.Context, origin, user, password string) (Acted, error) {
	q, err := ac.prompts.ofKind(pane.Login, origin)
	if err != nil {
		return Acted{}, err
	}
	return ac.answerForAgent(ctx, q, pane.Answer{Yes: true, User: user, Password: password})
}

// answerForAgent answers this question and no other one for the agent.
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
